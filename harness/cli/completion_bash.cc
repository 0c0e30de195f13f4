#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion_scripts.h"

namespace kgrade::cli {
namespace {

constexpr const char* script_begin = R"(# bash completion for kgrade, made by `kgrade completion bash`

# The slugs of the problems in the folder that the line names, or else in the usual one.
_kgrade_problems() {
  local i folder=()
  for ((i = 1; i + 1 < ${#COMP_WORDS[@]}; i++)); do
    [[ ${COMP_WORDS[i]} != --problems ]] || folder=(--problems "${COMP_WORDS[i + 1]}")
  done
  "${COMP_WORDS[0]/#\~/$HOME}" list --names "${folder[@]}" 2>/dev/null
}

# Of the lines of standard input, those that begin with the word at the cursor. None is ever expanded.
_kgrade_reply() {
  local candidate
  while IFS= read -r candidate; do
    [[ $candidate != "$word"* ]] || COMPREPLY+=("$candidate")
  done
}

_kgrade_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}
)";

constexpr const char* script_end = R"(
_kgrade() {
  COMPREPLY=()
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' place=0 i kind=''
  # --option=value comes as three words.
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -* ]]; then
      [[ -z $(_kgrade_value "$command ${COMP_WORDS[i]}") ]] || ((i += 1))
      [[ ${COMP_WORDS[i]} != = ]] || ((i += 1))
    elif [[ -z $command ]]; then
      command=${COMP_WORDS[i]}
    else
      ((place += 1))
    fi
  done
  [[ $before != -* ]] || kind=$(_kgrade_value "$command $before")
  if [[ -z $kind && $word == -* ]]; then
    _kgrade_reply < <(_kgrade_options "$command")
    return
  fi
  [[ -n $kind ]] || kind=$(_kgrade_value "$command $place")
  [[ -n $kind ]] || kind=$(_kgrade_value "$command *")
  case $kind in
    choice*) _kgrade_reply < <(tr ' ' '\n' <<<"${kind#choice }") ;;
    file) _kgrade_files -f ;;
    folder) _kgrade_files -d ;;
    problem)
      _kgrade_reply < <(_kgrade_problems)
      [[ -n ${COMPREPLY[*]} ]] || _kgrade_files -f
      ;;
  esac
}

complete -F _kgrade kgrade
)";

std::string kind_of(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::other:
      return "other";
    case ValueKind::file:
      return "file";
    case ValueKind::folder:
      return "folder";
    case ValueKind::problem:
      return "problem";
    case ValueKind::choice:
      return fmt::format("choice {}", fmt::join(option.choices, " "));
  }
  return "";
}

std::string value_line(const std::string& pattern, const std::string& kind) {
  return fmt::format("    {}) echo '{}' ;;\n", pattern, kind);
}

std::string value_lines(const CommandText& command) {
  std::string lines;
  for (const OptionText& option : command.options) {
    if (option.kind == ValueKind::none) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back(fmt::format("'{} {}'", command.name, name));
    lines += value_line(fmt::format("{}", fmt::join(patterns, " | ")), kind_of(option));
  }
  for (std::size_t place = 0; place < command.arguments.size(); ++place) {
    const OptionText& argument = command.arguments[place];
    const std::string where = argument.repeats ? "*" : std::to_string(place);
    lines += value_line(fmt::format("'{} {}'", command.name, where), kind_of(argument));
  }
  return lines;
}

std::string option_line(const std::string& name, const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("    '{}') printf '%s\\n' {} ;;\n", name, fmt::join(names, " "));
}

}  // namespace

std::string bash_completion(const ProgramText& text) {
  std::vector<std::string> names;
  std::string options = option_line("", text.program);
  std::string values;
  for (const CommandText& command : text.commands) {
    names.push_back(command.name);
    options += option_line(command.name, command);
    values += value_lines(command);
  }
  return fmt::format(
      "{}\n_kgrade_options() {{ # command\n  case $1 in\n{}  esac\n}}\n"
      "\n# What the value of an option is, or the argument at a place; nothing for a flag.\n"
      "_kgrade_value() {{ # command, and an option, a place or *\n  case $1 in\n    ' 0') echo 'choice {}' "
      ";;\n"
      "{}  esac\n}}\n{}",
      script_begin, options, fmt::join(names, " "), values, script_end);
}

}  // namespace kgrade::cli
