#include "problem/problem.h"

#include <fmt/format.h>

#include "problem/scalar_type.h"

namespace kgrade {

std::string_view to_string(Difficulty difficulty) {
  switch (difficulty) {
    case Difficulty::easy:
      return "EASY";
    case Difficulty::medium:
      return "MEDIUM";
    case Difficulty::hard:
      return "HARD";
  }
  return "";
}

std::string_view to_string(CaseRole role) {
  switch (role) {
    case CaseRole::sample:
      return "sample";
    case CaseRole::test:
      return "test";
    case CaseRole::bench:
      return "bench";
    case CaseRole::hidden:
      return "hidden";
  }
  return "";
}

std::string_view to_string(Libraries libraries) {
  switch (libraries) {
    case Libraries::any:
      return "any";
    case Libraries::none:
      return "none";
  }
  return "";
}

const CaseSpec* Problem::find_case(std::string_view name) const {
  for (const CaseSpec& spec : cases) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

const Parameter* Problem::find_parameter(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::string signature(const Problem& problem, std::string_view element) {
  std::string text = "extern \"C\" void solution(";
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const Parameter& parameter = problem.parameters[i];
    const std::string_view type =
        parameter.type == element_type_name ? element : std::string_view(parameter.type);
    // `const` on a scalar says nothing to the caller.
    text += fmt::format("{}{}{}{} {}", i > 0 ? ", " : "", parameter.is_input() ? "const " : "", type,
                        parameter.pointer ? "*" : "", parameter.name);
  }
  return text + ");";
}

std::string signature(const Problem& problem) { return signature(problem, cuda_type(problem.dtype)); }

}  // namespace kgrade
