#include "cli/app.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"

namespace kgrade::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The function that quotes messages. The whole program shares it, because code that fails does not know where
// the log goes.
std::function<std::string(const std::string&)>& quote_of_failures() {
  static std::function<std::string(const std::string&)> quote;
  return quote;
}

}  // namespace

std::vector<ExitCode> exit_codes() {
  return {{exit_ok, "all accepted or clean"},
          {exit_not_accepted, "some not"},
          {exit_usage, "wrong usage or problem file"},
          {exit_machine, "the machine lacks something"},
          {exit_slower, "slower than asked by --fail-on"},
          {exit_internal, "a fault of kgrade"}};
}

std::string exit_codes_line() {
  std::string line;
  for (const ExitCode& exit : exit_codes())
    line += fmt::format("{}{} {}", line.empty() ? "Exit codes: " : ", ", exit.code, exit.meaning);
  return line + ".";
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

int fail_unknown_command(const CLI::App& app, const std::string& name) {
  const auto near = nearest(name, command_names(app));
  return fail({{fmt::format("there is no command '{}'", name),
                near ? fmt::format("did you mean 'kgrade {}'?", *near) : "kgrade --help lists them",
                {}}});
}

void quote_failures(std::function<std::string(const std::string&)> quote) {
  quote_of_failures() = std::move(quote);
}

int fail(const Errors& errors) {
  const std::string text = to_string(errors) + "\n";
  fmt::print(stderr, "{}", quote_of_failures() ? quote_of_failures()(text) : text);
  return exit_code_of(errors);
}

}  // namespace kgrade::cli
