#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/app.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace {

// Breaks the line at spaces. The lines after the first one are indented.
std::string folded(std::string line, std::size_t width, std::size_t indent) {
  std::string text;
  line.resize(line.find_last_not_of(' ') + 1);
  while (line.size() > width) {
    const std::size_t first = std::max(indent, line.find_first_not_of(' '));
    std::size_t space = line.rfind(' ', width);
    if (space == line.npos || space <= first) space = line.find(' ', std::max(width, first));
    if (space == line.npos) break;  // a word that is longer than the line
    const std::size_t end = line.find_last_not_of(' ', space);
    text += line.substr(0, end + 1) + "\n";
    line = std::string(indent, ' ') + line.substr(line.find_first_not_of(' ', space));
  }
  return text + line + "\n";
}

class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const std::string whole = CLI::Formatter::make_help(app, std::move(name), mode);
    if (::isatty(STDOUT_FILENO) != 1) return whole;
    const std::size_t width = terminal_width(STDOUT_FILENO);
    // Beside the names of options there must be room for words.
    const std::size_t column = width >= 2 * get_column_width() ? get_column_width() : 4;
    std::istringstream lines(whole);
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += folded(std::move(line), width, line.starts_with(' ') ? column : 0);
    return text;
  }
};

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

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<WrappingFormatter>(); }

Command add_help(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Print the help of kgrade or of a command");
  command->add_option("command", *name, "The command")->type_name("COMMAND");
  return {command, [&app, name] { return print_help(app, *name); }};
}

}  // namespace kgrade::cli
