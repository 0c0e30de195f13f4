// The man pages, as roff for man(7): one with every command, option, exit code and environment variable, and
// one for each command.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/app.h"
#include "cli/command_tree.h"
#include "record/record.h"

namespace kgrade::cli {
namespace {

// When the text was last changed. With the date of the build, two builds of the same source would differ.
constexpr const char* date = "2026-11-28";

constexpr std::size_t page_width = 78;

// Escapes backslashes, and hyphens so that they stay hyphens when copied.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\' || letter == '-') result += '\\';
    result += letter == '\\' ? 'e' : letter;
  }
  return result;
}

// Text as lines that roff does not take for requests. The last line has no line break.
std::string prose(const std::string& text) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    std::string roff = escaped(word);
    if (column > 0 && column + 1 + roff.size() > page_width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    if (column == 0 && (roff.front() == '.' || roff.front() == '\'')) roff.insert(0, "\\&");
    lines += roff;
    column += roff.size();
  }
  return lines;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string option_entry(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  if (!option.placeholder.empty()) head += " " + italic(option.placeholder);
  std::string entry = fmt::format(".TP\n{}\n{}\n", head, prose(option.description));
  if (!option.default_value.empty()) entry += fmt::format("(default: {})\n", prose(option.default_value));
  return entry;
}

std::string synopsis(const CommandText& command) {
  std::string line = bold("kgrade " + command.name) + " [options]";
  for (const OptionText& argument : command.arguments) {
    const std::string word = italic(argument.names.front()) + (argument.repeats ? " ..." : "");
    line += argument.required ? " " + word : " [" + word + "]";
  }
  return line;
}

// The footer without the exit codes that all commands share, which have their own section.
std::string footer_paragraphs(const std::string& footer) {
  std::istringstream lines(footer);
  std::string paragraphs;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line != exit_codes_line()) paragraphs += ".PP\n" + prose(line) + "\n";
  }
  return paragraphs;
}

std::string entries(const CommandText& command) {
  std::string text;
  for (const OptionText& argument : command.arguments)
    text += fmt::format(".TP\n{}{}\n{}\n", italic(argument.names.front()), argument.repeats ? " ..." : "",
                        prose(argument.description));
  for (const OptionText& option : command.options) {
    const std::string& name = option.names.back();
    if (name != "--help" && name != "--version") text += option_entry(option);
  }
  return text;
}

std::string exit_status(const std::vector<ExitCode>& exits) {
  std::string section = ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exits)
    section += fmt::format(".TP\n{}\n{}\n", bold(std::to_string(exit.code)), prose(exit.meaning));
  return section;
}

struct Variable {
  const char* name;
  const char* meaning;
};

constexpr Variable variables[] = {
    {"KGRADE_CACHE_DIR",
     "Where built contestants are kept; set and empty, none are. Without it they lie below XDG_CACHE_HOME."},
    {"KGRADE_CACHE_LIMIT", "How much is kept there at most, such as 500M or 4G (default: 2G)."},
    {"XDG_CACHE_HOME",
     "Where the cache and the measured ceilings of devices lie, in a folder kgrade (default: ~/.cache)."},
    {"XDG_STATE_HOME",
     "Where `kgrade serve` keeps jobs and results, in a folder kgrade (default: ~/.local/state)."},
    {"KGRADE_URL", "The service that `kgrade watch` shows, and that the Python package uses."},
    {"KGRADE_TOKEN", "The token for that service."},
    {"TMPDIR", "Where builds and other temporary folders lie (default: /tmp)."},
    {"KGRADE_PYTHON",
     "The Python that runs Python candidates, unless --python names one (default: python3)."},
    {"CUDA_HOME", "Where nvcc, compute-sanitizer and ncu are looked for after PATH."},
    {"CUDA_VISIBLE_DEVICES", "Which GPUs there are, and their numbers, as for every CUDA program."},
    {"CXX", "The compiler that the emulated device tries first."},
    {"NO_COLOR", "Set and not empty, tables have no colours."},
    {"GITHUB_STEP_SUMMARY", "Where --github writes its summary, as GitHub Actions sets it."},
};

// `version` has the form "0.1.0".
std::string man_page(const ProgramText& text, const std::string& version,
                     const std::vector<ExitCode>& exits) {
  std::string page = fmt::format(
      ".TH KGRADE 1 {} \"kgrade {}\" \"User Commands\"\n.SH NAME\nkgrade \\- grade CUDA kernels\n"
      ".SH SYNOPSIS\n{} [{} | {}] {} [options] [{} ...]\n.SH DESCRIPTION\n{}\n{}.SH OPTIONS\n",
      date, version, bold("kgrade"), bold("--help"), bold("--version"), italic("command"), italic("argument"),
      prose(text.program.description), footer_paragraphs(text.program.footer));
  for (const OptionText& option : text.program.options) page += option_entry(option);
  page += ".PP\nEvery command has these two as well.\n.SH COMMANDS\n";
  for (const CommandText& command : text.commands)
    page += fmt::format(".SS {}\n{}\n.PP\n{}.\n", escaped(command.name), synopsis(command),
                        prose(command.description)) +
            entries(command) + footer_paragraphs(command.footer);
  page += exit_status(exits) + ".SH ENVIRONMENT\n";
  for (const Variable& variable : variables)
    page += fmt::format(".TP\n{}\n{}\n", bold(variable.name), prose(variable.meaning));
  return page;
}

// The page `kgrade-grade` of the command `grade`. Some commands explain more exit codes in their footers.
std::string command_page(const CommandText& command, const std::string& version,
                         const std::vector<ExitCode>& exits) {
  const std::string upper = upper_case("kgrade-" + command.name);
  std::string page = fmt::format(
      ".TH {} 1 {} \"kgrade {}\" \"User Commands\"\n.SH NAME\n{}\n.SH SYNOPSIS\n{}\n"
      ".SH DESCRIPTION\n{}.\n{}",
      upper, date, version, prose("kgrade-" + command.name + " - " + command.description), synopsis(command),
      prose(command.description), footer_paragraphs(command.footer));
  if (const std::string all = entries(command); !all.empty()) page += ".SH OPTIONS\n" + all;
  if (command.footer.find(exit_codes_line()) != std::string::npos) page += exit_status(exits);
  return page + ".SH SEE ALSO\n.BR kgrade (1),\nwhich has all commands, and the environment variables\n";
}

struct ManArguments {
  std::string command;
  std::string folder;
};

int print_page(CLI::App& app, const ManArguments& arguments) {
  const ProgramText text = describe(app);
  const std::string version = tool_info().version;
  std::map<std::string, std::string> pages = {{"", man_page(text, version, exit_codes())}};
  for (const CommandText& command : text.commands)
    pages[command.name] = command_page(command, version, exit_codes());
  if (arguments.folder.empty()) {
    const auto page = pages.find(arguments.command);
    if (page == pages.end()) return fail_unknown_command(app, arguments.command);
    fmt::print("{}", page->second);
    return exit_ok;
  }
  for (const auto& [command, page] : pages) {
    const std::string name = command.empty() ? "kgrade.1" : "kgrade-" + command + ".1";
    const auto written = write_file_atomically(std::filesystem::path(arguments.folder) / name, page);
    if (!written) return fail(written.errors());
  }
  return exit_ok;
}

}  // namespace

Command add_man(CLI::App& app) {
  auto arguments = std::make_shared<ManArguments>();
  CLI::App* command = app.add_subcommand("man", "Print the man page of kgrade or of a command");
  CLI::Option* const name =
      command->add_option("command", arguments->command, "The command")->type_name("COMMAND");
  command
      ->add_option("--output", arguments->folder,
                   "Write all pages into this folder, as kgrade.1, kgrade-grade.1 ...")
      ->type_name("DIR")
      ->excludes(name);
  command->footer("To read a page where it is not installed: kgrade man grade | man -l -");
  return {command, [&app, arguments] { return print_page(app, *arguments); }};
}

}  // namespace kgrade::cli
