#include "cli/app.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

#include "base/text.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace {

// The function that quotes messages. The whole program shares it, because code that fails does not know where
// the log goes.
std::function<std::string(const std::string&)>& quote_of_failures() {
  static std::function<std::string(const std::string&)> quote;
  return quote;
}

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
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const auto near = nearest(name, names);
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

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<WrappingFormatter>(); }

Command add_help(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Print the help of kgrade or of a command");
  command->add_option("command", *name, "The command")->type_name("COMMAND");
  return {command, [&app, name] {
            if (name->empty()) {
              // app.help() would print the help of the running command.
              fmt::print("{}",
                         app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
              return exit_ok;
            }
            const CLI::App* const asked = find_command(app, *name);
            if (asked == nullptr) return fail_unknown_command(app, *name);
            fmt::print("{}", asked->help(app.get_name()));
            return exit_ok;
          }};
}

}  // namespace kgrade::cli
