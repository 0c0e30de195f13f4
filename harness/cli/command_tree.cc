#include "cli/command_tree.h"

#include <algorithm>
#include <cctype>

namespace kgrade::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  return CLI::detail::split(text, separator);
}

// `cuda[:N]` stands for `cuda` and longer words. Text in brackets cannot be completed.
std::string without_brackets(const std::string& word) { return word.substr(0, word.find('[')); }

// CLI::IsMember describes itself as {a,b}.
std::vector<std::string> members(const std::string& validator) {
  if (validator.size() < 2 || validator.front() != '{' || validator.back() != '}') return {};
  return split(validator.substr(1, validator.size() - 2), ',');
}

void set_value(OptionText& text, CLI::Option& option) {
  text.placeholder = option.get_type_name();
  std::vector<std::string> validators;
  try {
    for (int place = 0;; ++place) validators.push_back(option.get_validator(place)->get_description());
  } catch (const CLI::OptionNotFound&) {
    // CLI11 gives validators by index, and throws after the last.
  }
  for (auto last = validators.rbegin(); last != validators.rend(); ++last) {
    // The type name ends with the descriptions of its validators.
    if (!last->empty()) text.placeholder.resize(text.placeholder.size() - last->size() - 1);
    if (text.choices.empty()) text.choices = members(*last);
  }
  if (text.placeholder.find('|') != std::string::npos) {
    for (const std::string& word : split(text.placeholder, '|'))
      if (std::find(text.choices.begin(), text.choices.end(), without_brackets(word)) == text.choices.end())
        text.choices.push_back(without_brackets(word));
  }
  text.kind = !text.choices.empty()           ? ValueKind::choice
              : text.placeholder == "FILE"    ? ValueKind::file
              : text.placeholder == "DIR"     ? ValueKind::folder
              : text.placeholder == "PROBLEM" ? ValueKind::problem
              : text.placeholder == "FAMILY"  ? ValueKind::family
              : text.placeholder == "CASE"    ? ValueKind::problem_case
                                              : ValueKind::other;
}

OptionText describe_option(CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.names.push_back(option.get_name());
  text.description = option.get_description();
  text.default_value = option.get_default_str();
  text.required = option.get_required();
  text.repeats = option.get_positional() && option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) set_value(text, option);
  return text;
}

CommandText describe_one(CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? text.arguments : text.options).push_back(describe_option(*option));
  }
  return text;
}

}  // namespace

ProgramText describe(CLI::App& app) {
  ProgramText text{describe_one(app), {}};
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    if (!command->get_group().empty()) text.commands.push_back(describe_one(*command));
  }
  for (CommandText& command : text.commands) {
    for (OptionText& argument : command.arguments) {
      if (argument.placeholder != "COMMAND") continue;
      argument.kind = ValueKind::choice;
      for (const CommandText& one : text.commands) argument.choices.push_back(one.name);
    }
  }
  return text;
}

}  // namespace kgrade::cli
