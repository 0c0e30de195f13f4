// Completion in shells: `kgrade complete` completes a line, and each shell has a few lines that call it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/command_tree.h"
#include "cli/options.h"
#include "problem/catalogue.h"

namespace kgrade::cli {
namespace {

// Bash splits words at =, and the shim joins them again. For --option=value, the offers of `kgrade complete`
// begin with the option.
constexpr const char* bash_shim = R"sh(# bash completion for kgrade: asks `kgrade complete`
_kgrade() {
  local i words=() offers prefix=''
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if [[ ${#words[@]} -gt 0 && (${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == =) ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  [[ ${words[-1]} != -*=* ]] || prefix=${words[-1]%%=*}=
  mapfile -t offers < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
  COMPREPLY=()
  case ${offers[0]-} in
    :file | :folder)
      compopt -o filenames 2>/dev/null
      [[ ${offers[0]} == :file ]] && i=-f || i=-d
      mapfile -t COMPREPLY < <(compgen "$i" -- "${words[-1]#"$prefix"}")
      ;;
    ?*)
      offers=("${offers[@]%%$'\t'*}")
      COMPREPLY=("${offers[@]#"$prefix"}")
      ;;
  esac
}
complete -F _kgrade kgrade
)sh";

constexpr const char* zsh_shim = R"sh(#compdef kgrade
# zsh completion for kgrade: asks `kgrade complete`
_kgrade() {
  local -a offers
  offers=(${(f)"$(${~words[1]} complete -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  offers=("${(@)offers%%$'\t'*}")
  if [[ $offers[1] == (:file|:folder) ]]; then
    [[ $PREFIX != -*=* ]] || compset -P '*='
    [[ $offers[1] == :file ]] && _files || _path_files -/
  elif [[ -n $offers[1] ]]; then
    compadd -a offers
  fi
}
# Loaded by compinit this file is the function itself; read by a start-up file it makes it known.
if [[ $funcstack[1] == _kgrade ]]; then
  _kgrade "$@"
else
  compdef _kgrade kgrade
fi
)sh";

constexpr const char* fish_shim = R"sh(# fish completion for kgrade: asks `kgrade complete`
function __kgrade_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l offers (command $words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    set -l path (string replace -r -- '^-[^=]*=' '' "$current")
    switch "$offers[1]"
        case :file
            __fish_complete_path "$path"
        case :folder
            __fish_complete_directories "$path"
        case '*'
            printf '%s\n' $offers
    end
end
complete -c kgrade -f -a '(__kgrade_complete)'
)sh";

constexpr const char* any_file = ":file\n";
constexpr const char* any_folder = ":folder\n";

// The typed part of a line, up to the word at the cursor.
class Line {
 public:
  Line(const ProgramText& text, const std::vector<std::string>& typed)
      : text_(text), command_(&text.program) {
    current_ = typed.empty() ? "" : typed.back();
    for (std::size_t i = 0; i + 1 < typed.size(); ++i) i += take(typed, i);
    const std::size_t equals = current_.find('=');
    if (awaits_ == nullptr && current_.starts_with('-') && equals != current_.npos) {
      awaits_ = option(current_.substr(0, equals));
      prefix_ = current_.substr(0, equals + 1);
    }
  }

  std::string offers() const {
    if (awaits_ != nullptr) return values(*awaits_);
    std::string text;
    if (current_.starts_with('-')) {
      for (const OptionText& option : command_->options)
        for (const std::string& name : option.names) text += offer(name, option.description);
      return text;
    }
    if (command_ == &text_.program) {
      for (const CommandText& command : text_.commands) text += offer(command.name, command.description);
      return text;
    }
    if (command_->arguments.empty()) return "";
    const std::size_t last = command_->arguments.size() - 1;
    if (place_ > last && !command_->arguments[last].repeats) return "";
    return values(command_->arguments[std::min(place_, last)]);
  }

 private:
  // How many of the next words belong to this word.
  std::size_t take(const std::vector<std::string>& typed, std::size_t i) {
    const std::string& word = typed[i];
    if (word == "--problems" && i + 2 < typed.size()) folder_ = typed[i + 1];
    if (word.starts_with("--problems=")) folder_ = word.substr(word.find('=') + 1);
    if (word.starts_with('-')) {
      const OptionText* const found = option(word);
      if (found == nullptr || found->kind == ValueKind::none) return 0;
      if (i + 2 == typed.size()) awaits_ = found;
      return 1;
    }
    if (command_ != &text_.program) {
      const auto& arguments = command_->arguments;
      if (place_ < arguments.size() && arguments[place_].kind == ValueKind::problem) problem_ = word;
      ++place_;
      return 0;
    }
    const auto found = std::find_if(text_.commands.begin(), text_.commands.end(),
                                    [&word](const CommandText& command) { return command.name == word; });
    command_ = found == text_.commands.end() ? &unknown_ : &*found;
    return 0;
  }

  const OptionText* option(const std::string& name) const {
    for (const OptionText& option : command_->options) {
      if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
    }
    return nullptr;
  }

  std::string offer(const std::string& word, const std::string& description = "") const {
    const std::string whole = prefix_ + word;
    if (!whole.starts_with(current_)) return "";
    const std::string line = replace_all(description.substr(0, description.find('\n')), "\t", " ");
    return line.empty() ? whole + "\n" : fmt::format("{}\t{}\n", whole, line);
  }

  std::string values(const OptionText& value) const {
    std::string text;
    switch (value.kind) {
      case ValueKind::none:
      case ValueKind::other:
        return "";
      case ValueKind::file:
        return any_file;
      case ValueKind::folder:
        return any_folder;
      case ValueKind::problem:
        for (const Problem& problem : problems()) text += offer(problem.slug, problem.title);
        return text.empty() ? any_file : text;
      case ValueKind::family:
        for (const std::string& name : families_of(problems())) text += offer(name);
        return text;
      case ValueKind::problem_case:
        return cases();
      case ValueKind::choice:
        for (const std::string& choice : value.choices) text += offer(choice);
        return text;
    }
    return "";
  }

  // The problems in the folder that the line names, or else in the usual folder.
  std::vector<Problem> problems() const {
    std::vector<Problem> problems;
    const auto paths = problem_files(Layout::find(folder_).problems);
    if (!paths) return problems;
    for (const auto& path : *paths) {
      if (auto problem = load_problem(path); problem.ok()) problems.push_back(std::move(*problem));
    }
    return problems;
  }

  // The cases of a KernelBench file are known only when the file runs, so they are not offered.
  std::string cases() const {
    std::string text;
    if (problem_.empty()) return text;
    const auto problem = find_problem(problem_, Layout::find(folder_).problems);
    if (!problem) return text;
    for (const CaseSpec& one : problem->cases) text += offer(one.name, std::string(to_string(one.role)));
    return text;
  }

  const ProgramText& text_;
  const CommandText* command_;
  CommandText unknown_;
  std::string current_;
  std::string prefix_;  // "--device=" for "--device=em"
  std::string folder_;  // of --problems
  std::string problem_;
  std::size_t place_ = 0;
  const OptionText* awaits_ = nullptr;  // the option whose value is at the cursor
};

}  // namespace

Command add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that lets a shell complete command lines");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("bash|zsh|fish");
  command->footer(
      "In bash: source <(kgrade completion bash)\n"
      "In zsh: source <(kgrade completion zsh), after compinit\n"
      "In fish: kgrade completion fish | source");
  return {command, [shell] {
            fmt::print("{}", *shell == "bash" ? bash_shim : *shell == "zsh" ? zsh_shim : fish_shim);
            return exit_ok;
          }};
}

// Called by the shims. Prints one offer per line, with a tab and its description if it has one. Prints
// `:file` or `:folder` if the shell should complete paths.
Command add_complete(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("complete", "Complete a command line")->group("");
  command->add_option("words", *words, "The words after kgrade; the last one is at the cursor");
  return {command, [&app, words] {
            const ProgramText text = describe(app);
            fmt::print("{}", Line(text, *words).offers());
            return exit_ok;
          }};
}

}  // namespace kgrade::cli
