#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/app.h"
#include "report/record.h"

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

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// CLI11's own codes are many; ours says wrong usage with one.
int complain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const std::vector<std::string> names = command_names(app);
  if (error.get_exit_code() == 0) return app.exit(error) == 0 ? cli::exit_ok : exit_usage;
  if (!first.empty() && first[0] != '-' && std::find(names.begin(), names.end(), first) == names.end()) {
    const auto near = nearest(first, names);
    return cli::fail({{fmt::format("there is no command '{}'", first),
                       near ? fmt::format("did you mean 'kgrade {}'?", *near) : "kgrade --help lists them",
                       {}}});
  }
  return cli::fail({{error.what(), "kgrade --help, and --help after a command, say what can be given", {}}});
}

int run(int argc, char** argv) {
  CLI::App app("Grades CUDA kernels: a verdict that can be trusted and a speed that can be repeated.",
               "kgrade");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all accepted or clean, 1 some not, 2 wrong usage or problem file, 3 the machine lacks "
      "something, 4 slower than asked, "
      "70 a fault of kgrade.\n"
      "Start with: kgrade list");
  const std::vector<cli::Command> commands = {
      cli::add_grade(app),  cli::add_check(app),      cli::add_list(app),        cli::add_show(app),
      cli::add_lint(app),   cli::add_new(app),        cli::add_import(app),      cli::add_calibrate(app),
      cli::add_dump(app),   cli::add_doctor(app),     cli::add_selftest(app),    cli::add_cache(app),
      cli::add_sweep(app),  cli::add_sweep_lane(app), cli::add_sweep_chunk(app), cli::add_leaderboard(app),
      cli::add_compare(app)};
  for (const cli::Command& command : commands) command.app->set_version_flag("--version", version_text());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own codes are many; ours says wrong usage with one.
    return complain(app, error, argc, argv);
  }
  for (const cli::Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return exit_usage;
}

// A result that could not be written is no success.
int checked(int exit_code) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written) return exit_code;
  fmt::print(stderr, "kgrade: error: the output could not be written: {}\n", std::strerror(errno));
  return exit_code == cli::exit_ok ? exit_usage : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  kgrade::clean_up_on_signals();
  kgrade::adopt_orphans();
  try {
    return checked(run(argc, argv));
  } catch (const std::exception& thrown) {
    const kgrade::GradeFailure failure = kgrade::failure_of(thrown);
    return kgrade::cli::fail(failure.errors, failure.exit_code);
  }
}
