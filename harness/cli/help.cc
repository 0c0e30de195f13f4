#include <fmt/format.h>

#include <memory>

#include "cli/app.h"

namespace kgrade::cli {
namespace {

int print_help(CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // app.help() would print the help of the running command.
    fmt::print("{}", app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return exit_ok;
  }
  const CLI::App* command = find_command(app, name);
  if (command == nullptr) return fail_unknown_command(app, name);
  fmt::print("{}", command->help(app.get_name()));
  return exit_ok;
}

}  // namespace

Command add_help(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Print the help of kgrade or of a command");
  command->add_option("command", *name, "The command")->type_name("COMMAND");
  return {command, [&app, name] { return print_help(app, *name); }};
}

}  // namespace kgrade::cli
