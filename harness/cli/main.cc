#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/cleanup.h"
#include "base/machine_faults.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/app.h"
#include "grade/run.h"
#include "record/record.h"

namespace {

using namespace kgrade;

std::string version_text() {
  const ToolInfo tool = tool_info();
  std::string text = "kgrade " + tool.version;
  if (!tool.git_commit.empty()) {
    text += fmt::format(" ({}{})", tool.git_commit.substr(0, 12), tool.git_dirty ? ", with changes" : "");
  }
  return text;
}

// The first word that looks like a long option but is not an option of the command. Otherwise CLI11 would
// complain first about missing arguments.
std::optional<Error> unknown_option(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> known;  // as they are typed: "--json", "-o"
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  for (int i = 2; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string word(argv[i]);
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return Error{fmt::format("kgrade {} has no option '{}'", command.get_name(), name),
                 fmt::format("{}kgrade {} --help lists them",
                             near ? fmt::format("did you mean '{}'? ", *near) : "", command.get_name()),
                 {}};
  }
  return std::nullopt;
}

// CLI11 has many exit codes. kgrade has one for wrong usage.
int complain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (error.get_exit_code() == 0) return app.exit(error) == 0 ? cli::exit_ok : exit_usage;
  const CLI::App* const command = cli::find_command(app, first);
  if (!first.empty() && first[0] != '-' && command == nullptr) return cli::fail_unknown_command(app, first);
  std::error_code failure;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    if (argv[i][0] == '-' && std::filesystem::is_regular_file(argv[i], failure))
      return cli::fail({{fmt::format("'{}' is read as an option", argv[i]),
                         fmt::format("write ./{}, or put it behind --", argv[i]),
                         {}}});
  }
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (command != nullptr && (is_extra || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)) {
    if (const auto unknown = unknown_option(*command, argc, argv)) return cli::fail({*unknown});
  }
  return cli::fail({{error.what(), "kgrade --help, and --help after a command, say what can be given", {}}});
}

// An empty value, such as an unset variable in a script, must not count as an omitted option.
const CLI::Validator not_empty(
    [](const std::string& value) {
      return value.empty() ? std::string("an empty value: leave the option out, or give it one")
                           : std::string();
    },
    "");

// Adds the texts and checks that every command has. Some commands already explain their exit codes.
void finish(CLI::App& command) {
  command.set_version_flag("--version", version_text());
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && option->get_items_expected_max() > 0) option->check(not_empty);
  }
  const std::string footer = command.get_footer();
  if (footer.find("Exit codes:") == std::string::npos)
    command.footer(footer + (footer.empty() ? "" : "\n") + cli::exit_codes_line());
}

int run(int argc, char** argv) {
  CLI::App app("Grades CUDA kernels: a verdict that can be trusted and a speed that can be repeated.",
               "kgrade");
  app.set_version_flag("--version", version_text());
  app.formatter(cli::help_formatter());  // before the commands are made, which inherit it
  app.require_subcommand(1);
  const std::vector<cli::Command> commands = cli::add_commands(app);
  for (const cli::Command& command : commands) finish(*command.app);
  // Set after the commands are made, because they would inherit it.
  app.footer(
      cli::exit_codes_line() +
      "\nStart with: kgrade list\nThe help names documents, such as docs/service.md: kgrade doctor says "
      "in which folder they are.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return complain(app, error, argc, argv);
  }
  for (const cli::Command& command : commands) {
    if (!command.app->parsed()) continue;
    const auto wrong = command.builds ? wrong_cache_limit() : std::nullopt;
    return wrong ? cli::fail({*wrong}) : command.run();
  }
  return exit_usage;
}

// Ends quietly, like a program that SIGPIPE kills. This also holds if the caller makes the program ignore
// that signal, as Python does. The exit code is 141 in a shell, which is neither success nor a verdict. Git
// ends in this way too.
int end_without_a_reader() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  std::signal(SIGPIPE, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

// If the output could not be written, the exit code must not mean success.
int checked(int exit_code) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written) return exit_code;
  const int failure = errno;
  if (failure == EPIPE) return end_without_a_reader();
  fmt::print(stderr, "kgrade: error: the output could not be written: {}\n", std::strerror(failure));
  if (exit_code != cli::exit_ok) return exit_code;
  return is_lack_of_room(failure) ? exit_machine : exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  kgrade::clean_up_on_signals();
  kgrade::adopt_orphans();
  // This limit also bounds the descriptors in flight: those that an account's processes have sent over
  // sockets and that no process has received yet. A worker has a lower limit (limit_descriptors()), so it
  // cannot use up ours.
  kgrade::raise_descriptor_limit();
  try {
    return checked(run(argc, argv));
  } catch (const std::exception& thrown) {
    const auto* const system = dynamic_cast<const std::system_error*>(&thrown);
    const bool is_unread = system != nullptr && system->code().value() == EPIPE && std::ferror(stdout) != 0;
    if (is_unread) return end_without_a_reader();
    return kgrade::cli::fail(kgrade::errors_of(thrown));
  }
}
