#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_scripts.h"

namespace kgrade::cli {
namespace {

constexpr const char* script_begin = R"(# fish completion for kgrade, made by `kgrade completion fish`

# The options of a command that take a value.
function __kgrade_valued
    switch $argv[1]
{}    end
end

# Prints the command of the line, and then what was given to it besides options and their values.
function __kgrade_words
    set -l command ''
    set -l valued
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
        else if string match -q -- '-*' $word
            contains -- $word $valued; and set skip yes
        else
            test -z "$command"; and set command $word; and set valued (__kgrade_valued $word)
            echo $word
        end
    end
end

# Whether the line has this command, and how many words stand before the cursor: -eq 1 at its first argument.
function __kgrade_at
    set -l words (__kgrade_words)
    test "$words[1]" = "$argv[1]"; and test (count $words) $argv[2..3]
end

function __kgrade_before_command
    test (count (__kgrade_words)) -eq 0
end

# The slugs of the problems in the folder that the line names, or else in the usual one; or files.
function __kgrade_problems
    set -l words (commandline -opc)
    set -l folder
    set -l place (contains -i -- --problems $words); and set folder --problems $words[(math $place + 1)]
    set -l slugs (command $words[1] list --names $folder 2>/dev/null)
    set -l current (commandline -ct)
    if string match -q -- "$current*" $slugs
        printf '%s\n' $slugs
    else
        __fish_complete_path $current
    end
end

complete -c kgrade -f
)";

// Inside single quotes, where fish knows \\ and \'.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result + "'";
}

// -r: a value must follow; -x: it is no file.
std::string value(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::other:
      return " -x";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::problem:
      return " -x -a '(__kgrade_problems)'";
    case ValueKind::choice:
      return fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  return "";
}

std::string option_lines(const CommandText& command, const std::string& condition) {
  std::string lines;
  for (const OptionText& option : command.options) {
    std::string names;
    for (const std::string& name : option.names)
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    lines += fmt::format("complete -c kgrade -n {}{} -d {}{}\n", quoted(condition), names,
                         quoted(option.description), value(option));
  }
  return lines;
}

std::string argument_lines(const CommandText& command) {
  std::string lines;
  for (std::size_t place = 0; place < command.arguments.size(); ++place) {
    const OptionText& argument = command.arguments[place];
    if (argument.kind == ValueKind::other) continue;
    const std::string condition =
        fmt::format("__kgrade_at {} {} {}", command.name, argument.repeats ? "-ge" : "-eq", place + 1);
    lines += fmt::format("complete -c kgrade -n {}{}\n", quoted(condition),
                         argument.kind == ValueKind::file ? " -F" : value(argument));
  }
  return lines;
}

std::string valued_line(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (option.kind != ValueKind::none) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  if (names.empty()) return "";
  return fmt::format("        case {}\n            printf '%s\\n' {}\n", command.name, fmt::join(names, " "));
}

}  // namespace

std::string fish_completion(const ProgramText& text) {
  const std::string before_command = "__kgrade_before_command";
  std::string valued;
  std::string lines = option_lines(text.program, before_command);
  for (const CommandText& command : text.commands) {
    valued += valued_line(command);
    lines += fmt::format("complete -c kgrade -n {} -a {} -d {}\n", before_command, command.name,
                         quoted(command.description));
    lines +=
        option_lines(command, fmt::format("__kgrade_at {} -ge 1", command.name)) + argument_lines(command);
  }
  std::string script = script_begin;
  script.replace(script.find("{}"), 2, valued);
  return script + lines;
}

}  // namespace kgrade::cli
