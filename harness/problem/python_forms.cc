#include "problem/python_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "problem/module_call.h"

namespace kgrade {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Problem& problem, bool with_outputs) {
  Names names;
  for (const Parameter& parameter : problem.arguments()) {
    if (with_outputs || !parameter.is_output()) names.push_back(parameter.name);
  }
  return names;
}

std::string definition(const char* name, const Names& arguments) {
  return fmt::format("def {}({}):", name, fmt::join(arguments, ", "));
}

// The names as a tuple of Python.
std::string tuple(const Names& names) {
  return fmt::format("({}{})", fmt::join(names, ", "), names.size() == 1 ? "," : "");
}

}  // namespace

std::string writing_form(const Problem& problem) { return definition("solution", names_of(problem, true)); }

std::string returning_form(const Problem& problem) {
  return definition("solution", names_of(problem, false));
}

std::string data_form(const Problem& problem) { return tuple(names_of(problem, false)); }

std::string returned_form(const Problem& problem) {
  Names names;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_output()) names.push_back(parameter.name);
  }
  return names.size() == 1 ? names.front() : tuple(names);
}

std::string init_form(const TorchModule& module) {
  Names arguments = {"self"};
  // The section `torch` has no names for these arguments.
  if (!module.given.empty()) arguments.emplace_back("*arguments");
  for (const ModuleArgument& argument : module.init) {
    arguments.push_back(argument.fallback ? fmt::format("{}={}", argument.name, to_string(*argument.fallback))
                                          : argument.name);
  }
  return definition("__init__", arguments);
}

std::string forward_form(const TorchModule& module) {
  Names arguments = {"self"};
  int values = 0;
  for (const std::string& argument : module.forward) {
    const std::string input = is_given_value(argument) ? input_of_given(argument) : argument;
    arguments.push_back(input.empty() ? fmt::format("value{}", ++values) : input);
  }
  return definition("forward", arguments);
}

}  // namespace kgrade
