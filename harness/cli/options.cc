#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

#include "base/text.h"
#include "cli/app.h"
#include "cli/outputs.h"
#include "compile/module_file.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"
#include "problem/set_files.h"

namespace kgrade::cli {
namespace {

// The two parts of the flag of an option: "--seed N".
std::string name_of(const GradeOption& option) {
  return std::string(option.flag.substr(0, option.flag.find(' ')));
}
std::string value_of(const GradeOption& option) {
  return std::string(option.flag.substr(name_of(option).size() + 1));
}

CLI::Option* add(CLI::App& command, const GradeOption& option, bool& value, AnySetting) {
  return command.add_flag(name_of(option), value, option.help);
}

template <class Text>
CLI::Option* add(CLI::App& command, const GradeOption& option, Text& value, AnySetting) {
  return command.add_option(name_of(option), value, option.help)
      ->type_name(value_of(option))
      ->allow_extra_args(false);
}

// CLI11 would clamp or wrap numbers beyond the limits.
CLI::Option* add(CLI::App& command, const GradeOption& option, std::optional<std::uint64_t>& number,
                 const WholeNumber& rule) {
  const auto parse = [name = name_of(option), &number, rule](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || rest != end || value < rule.least || value > rule.most) {
      const std::string most = rule.most == UINT64_MAX ? "2^64 - 1" : std::to_string(rule.most);
      throw CLI::ValidationError(
          name, fmt::format("'{}' is no whole number from {} to {}", text, rule.least, most));
    }
    number = value;
  };
  return command.add_option_function<std::string>(name_of(option), parse, option.help)
      ->type_name(value_of(option));
}

// The limits are not checked with CLI::Range, because it accepts NaN.
CLI::Option* add(CLI::App& command, const GradeOption& option, std::optional<double>& value,
                 const Seconds& rule) {
  const auto check = [rule](std::string& text) -> std::string {
    double seconds = 0;
    const bool number = CLI::detail::lexical_cast(text, seconds);
    return number && seconds >= rule.least && seconds <= rule.most
               ? ""
               : fmt::format("'{}' is no time from {} to {} s", text, rule.least, rule.most);
  };
  return command.add_option(name_of(option), value, option.help)
      ->type_name(value_of(option))
      ->check(CLI::Validator(check, ""));
}

// Adds an option for the choices that have a word, and flags for the choices that have a flag. Only one of
// these can be given.
template <class E, std::size_t count>
CLI::Option* add(CLI::App& command, const GradeOption& option, E& value,
                 const std::array<Choice<E>, count>& choices) {
  std::vector<CLI::Option*> added;
  if (!option.flag.empty()) {
    const auto take = [&value, choices, option](const std::string& word) {
      for (const Choice<E>& choice : choices)
        if (!choice.word.empty() && choice.word == word) return void(value = choice.value);
      throw CLI::ValidationError(fmt::format("{}: '{}' is none of {}", name_of(option), word,
                                             replace_all(value_of(option), "|", ", ")));
    };
    added.push_back(command.add_option_function<std::string>(name_of(option), take, option.help));
    added.back()->type_name(value_of(option));
  }
  for (const Choice<E>& choice : choices) {
    if (choice.flag.empty()) continue;
    const auto take = [&value, chosen = choice.value](std::int64_t) { value = chosen; };
    CLI::Option* const flag =
        command.add_flag_function(std::string(choice.flag), take, std::string(choice.help));
    for (CLI::Option* const other : added) flag->excludes(other);
    added.push_back(flag);
  }
  return added.front();
}

}  // namespace

void add_grade_options(CLI::App& command, unsigned by, GradeSettings& settings) {
  grade_options(
      [&](const GradeOption& option, auto& value, const auto& rule) {
        if ((option.by & by) != 0) add(command, option, value, rule);
      },
      settings);
}

CLI::Option* add_grade_option(CLI::App& command, std::string_view name, OptionValue value,
                              const std::string& description) {
  CLI::Option* added = nullptr;
  GradeSettings types;
  grade_options(
      [&]<class T>(const GradeOption& option, T&, const auto& rule) {
        if constexpr (std::is_constructible_v<OptionValue, T*>)
          if (T** const own = std::get_if<T*>(&value); own != nullptr && option.name == name)
            added = add(command, option, **own, rule);
      },
      types);
  if (added == nullptr) throw std::logic_error("no option of a grade has this name and type");
  return description.empty() ? added : added->description(description);
}

void add_problem_argument(CLI::App& command, std::string& problem) {
  command.add_option("problem", problem, "Slug of a problem, or the path of a problem file")
      ->required()
      ->type_name("PROBLEM");
}

Result<Problem> problem_named(const std::string& problem, const Layout& layout, const std::string& python,
                              const std::vector<std::string>& inputs) {
  if (is_module_file(problem) || is_set_path(problem)) {
    // The file's functions run to find shapes and types. In some files this takes a minute.
    Progress progress;
    progress.show("reads " + printable_line(problem));
    return load_problem_file(problem, python, layout, inputs);
  }
  auto found = find_problem(problem, layout.problems);
  // A slug has precedence over a folder of that name.
  if (!found && may_be_set_path(problem)) return load_problem_file(problem, python, layout, inputs);
  if (!found) return found;
  if (found->slug == problem)
    for (const auto& other : files_behind(found->path, layout.problems))
      fmt::print(stderr, "kgrade: note: {} is {}, not {}\n", problem, printable_line(found->path.string()),
                 printable_line(other.string()));
  return inputs.empty() ? found : load_problem_file(found->path, python, layout, inputs);
}

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "Where kernels run: a GPU, or the CPU's cores")
      ->capture_default_str()
      ->type_name("auto|cuda[:N]|emulated");
}

}  // namespace kgrade::cli
