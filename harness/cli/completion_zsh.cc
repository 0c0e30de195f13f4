#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_scripts.h"

namespace kgrade::cli {
namespace {

constexpr const char* script_begin = R"zsh(#compdef kgrade
# zsh completion for kgrade, made by `kgrade completion zsh`

# The slugs of the problems in the folder that the line names, or else in the usual one; or files.
_kgrade_problems() {
  local -a folder slugs
  (( ${+opt_args[--problems]} )) && folder=(--problems "${(Q)opt_args[--problems]}")
  slugs=(${(f)"$(${~program} list --names $folder 2>/dev/null)"})
  compadd -a slugs || _files
}
)zsh";

constexpr const char* script_middle = R"(
_kgrade() {
  local program=$words[1] state line
  local -A opt_args
  _arguments -C \
)";

constexpr const char* script_end = R"(  esac
}

# Loaded by compinit this file is the function itself; read by a start-up file it makes it known.
if [[ $funcstack[1] == _kgrade ]]; then
  _kgrade "$@"
else
  compdef _kgrade kgrade
fi
)";

// Inside single quotes, where brackets and colons have a meaning of their own.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result;
}

std::string action(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::none:
    case ValueKind::other:
      return " ";
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_path_files -/";
    case ValueKind::problem:
      return "_kgrade_problems";
    case ValueKind::choice:
      return fmt::format("({})", fmt::join(option.choices, " "));
  }
  return " ";
}

std::string option_lines(const CommandText& command, const std::string& indent) {
  std::string lines;
  for (const OptionText& option : command.options) {
    for (const std::string& name : option.names) {
      const bool takes_value = option.kind != ValueKind::none;
      const bool is_long = name.starts_with("--");
      const std::string value =
          takes_value ? fmt::format(":{}:{}", quoted(option.placeholder), action(option)) : "";
      lines += fmt::format("{}'*{}{}[{}]{}' \\\n", indent, name, takes_value && is_long ? "=" : "",
                           quoted(option.description), value);
    }
  }
  return lines;
}

std::string argument_lines(const CommandText& command) {
  std::string lines;
  for (std::size_t place = 0; place < command.arguments.size(); ++place) {
    const OptionText& argument = command.arguments[place];
    lines += fmt::format("        '{}:{}:{}' \\\n", argument.repeats ? "*" : std::to_string(place + 1),
                         quoted(argument.names.front()), action(argument));
  }
  return lines;
}

}  // namespace

std::string zsh_completion(const ProgramText& text) {
  std::string names;
  std::string cases;
  for (const CommandText& command : text.commands) {
    names += fmt::format("    '{}:{}'\n", command.name, quoted(command.description));
    cases += fmt::format("    {})\n      _arguments \\\n{}{}        && return\n      ;;\n", command.name,
                         option_lines(command, "        "), argument_lines(command));
  }
  return fmt::format(
      "{}\n_kgrade_commands() {{\n  local -a commands=(\n{}  )\n  _describe command commands\n}}\n{}{}"
      "    '1:command:_kgrade_commands' \\\n    '*::argument:->argument' && return\n"
      "  [[ $state == argument ]] || return\n  case $words[1] in\n{}{}",
      script_begin, names, script_middle, option_lines(text.program, "    "), cases, script_end);
}

}  // namespace kgrade::cli
