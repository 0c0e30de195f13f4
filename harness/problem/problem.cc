#include "problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// The names of the first few integer parameters, for an example.
std::vector<std::string> example_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_integer() && names.size() < 3) names.push_back(parameter.name);
  }
  return names;
}

std::string example_shape(const Problem& problem) {
  const std::vector<std::string> names = example_names(problem);
  return names.empty() ? "[1024]" : fmt::format("[{}, ...]", fmt::join(names, ", "));
}

std::string example_case(const Problem& problem, std::string_view name, CaseRole role) {
  std::string text = fmt::format("- {{name: {}, role: {}", name, to_string(role));
  for (const std::string& parameter : example_names(problem)) text += fmt::format(", {}: 1", parameter);
  return text + ", ...}";
}

void check_tensor(const Problem& problem, const Parameter& parameter, Errors& missing) {
  // e4m3 is different, because it has no infinity for values that are too large. A Model says what it does
  // with them.
  const auto own = parameter.own_dtype();
  if (parameter.is_output() && own && is_float8(*own) && !problem.has_model() &&
      parameter.compare.kind != Comparison::Kind::scales) {
    missing.push_back(
        {fmt::format("the output '{}' is of type {}", parameter.name, parameter.type),
         "write `type: uint8_t` and `compare: quantised(...)`, or __half, __nv_bfloat16 or float",
         parameter.location});
  }
  if (parameter.shape.empty()) {
    missing.push_back({fmt::format("parameter '{}' has no shape", parameter.name),
                       fmt::format("write `shape: {}` below its name", example_shape(problem)),
                       parameter.location});
  }
  if (parameter.is_input() && !parameter.init) {
    missing.push_back(
        {fmt::format("parameter '{}' has no init", parameter.name),
         own && is_integer(*own)
             ? "write `init: integers(0, 9)` below its name, or labels(n), choice(a, b), bernoulli(p), "
               "constant(value), ones, zeros"
             : "write `init: uniform(0, 1)` below its name, or normal(mean, sd), integers(lo, hi), "
               "constant(value), ones, zeros, choice(a, b), bernoulli(p), uniform_fan_in(n)",
         parameter.location});
  }
}

void check_cases(const Problem& problem, Errors& missing) {
  if (problem.cases.empty()) {
    missing.push_back({"there are no cases",
                       fmt::format("write `cases:` and below it `{}` and `{}`",
                                   example_case(problem, "tiny", CaseRole::test),
                                   example_case(problem, "large", CaseRole::bench)),
                       {problem.path.string(), 1, 1}});
    return;
  }
  for (const CaseRole role : {CaseRole::test, CaseRole::bench}) {
    // A file in KernelBench's form has only its bench case.
    if (role == CaseRole::test && !problem.reference.empty()) continue;
    const bool found = std::any_of(problem.cases.begin(), problem.cases.end(),
                                   [&](const CaseSpec& spec) { return spec.role == role; });
    if (found) continue;
    missing.push_back(
        {fmt::format("no case has the role {}", to_string(role)),
         fmt::format("write `{}`", example_case(problem, role == CaseRole::test ? "tiny" : "large", role)),
         problem.cases.front().location});
  }
}

}  // namespace

std::optional<Dtype> Parameter::own_dtype() const {
  const ScalarType* const known = find_scalar_type(type);
  return known != nullptr && pointer ? known->element : std::nullopt;
}

bool Parameter::is_integer() const {
  const ScalarType* const known = find_scalar_type(type);
  return !pointer && known != nullptr && known->is_integer();
}

bool Problem::has_property() const {
  return std::ranges::any_of(parameters, [](const Parameter& parameter) {
    return parameter.is_output() && parameter.compare.kind == Comparison::Kind::property;
  });
}

bool Problem::keeps_types() const {
  const auto has_own_type = [](const CaseSpec& spec) { return spec.module && spec.module->dtype; };
  return has_model() && (std::ranges::find(dtypes, to_string(Dtype::float32)) == dtypes.end() ||
                         std::ranges::any_of(cases, has_own_type));
}

std::span<const Parameter> Problem::arguments() const {
  const auto end =
      std::find_if_not(parameters.begin(), parameters.end(), std::mem_fn(&Parameter::is_argument));
  return {parameters.begin(), end};
}

const Thresholds& Problem::thresholds_of(std::string_view output) const {
  const auto own = output_thresholds.find(output);
  if (own == output_thresholds.end()) return thresholds;
  const auto of_type = own->second.find(dtype);
  return of_type != own->second.end() ? of_type->second : thresholds;
}

const CaseSpec* Problem::find_case(std::string_view name) const {
  for (const CaseSpec& spec : cases) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

bool Problem::compares_exactly() const {
  const auto is_by_norm = [](const Parameter& parameter) {
    return parameter.is_output() &&
           (has_norm(parameter.compare.kind) || parameter.compare.kind == Comparison::Kind::property);
  };
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& p) { return p.is_output(); }) &&
         std::none_of(parameters.begin(), parameters.end(), is_by_norm);
}

const Parameter* Problem::find_parameter(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

Errors missing_for_grading(const Problem& problem) {
  Errors missing;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.pointer) check_tensor(problem, parameter, missing);
  }
  if (problem.dtypes.empty()) {
    missing.push_back({"there are no dtypes", "write `dtypes: [float32]`", {problem.path.string(), 1, 1}});
  }
  check_cases(problem, missing);
  return missing;
}

std::string signature(const Problem& problem, std::string_view element) {
  std::string text = "extern \"C\" void solution(";
  const auto parameters = problem.arguments();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const std::string_view type =
        parameter.type == element_type_name ? element : std::string_view(parameter.type);
    // `const` on a scalar means nothing to the caller.
    text += fmt::format("{}{}{}{} {}", i > 0 ? ", " : "", parameter.is_input() ? "const " : "", type,
                        parameter.pointer ? "*" : "", parameter.name);
  }
  return text + ");";
}

std::set<std::string_view> cuda_headers(const Problem& problem, Dtype dtype) {
  std::set<std::string_view> headers = {cuda_header(dtype)};
  for (const Parameter& parameter : problem.arguments()) {
    if (const auto own = parameter.own_dtype()) headers.insert(cuda_header(*own));
  }
  headers.erase("");
  return headers;
}

std::string signature(const Problem& problem) { return signature(problem, cuda_type(problem.dtype)); }

}  // namespace kgrade
