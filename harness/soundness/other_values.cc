#include "soundness/other_values.h"

#include <algorithm>
#include <limits>

#include "problem/scalar_type.h"

namespace kgrade {
namespace {

using Names = std::set<std::string>;

bool is_integer(const Parameter& parameter) {
  const ScalarType* const type = find_scalar_type(parameter.type);
  return !parameter.pointer && type != nullptr && type->is_integer();
}

void add_names(Names& names, const Expression& expression) {
  for (std::string& name : expression.names()) names.insert(std::move(name));
}

// A value sees those before it: from the last to the first, each passes on what it is made of.
Names names_in_shapes(const Problem& problem) {
  Names names;
  for (const Parameter& parameter : problem.parameters) {
    for (const Expression& extent : parameter.shape) add_names(names, extent);
  }
  for (auto value = problem.let.rbegin(); value != problem.let.rend(); ++value) {
    if (names.contains(value->first)) add_names(names, value->second);
  }
  return names;
}

bool same_shapes(const Case& a, const Case& b) {
  return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const Tensor& x, const Tensor& y) { return x.shape == y.shape; });
}

CaseSpec spec_of(const Problem& problem, const Case& bound) {
  CaseSpec spec{bound.name, bound.role, {}, bound.reals, {}};
  for (const Parameter& parameter : problem.parameters) {
    if (is_integer(parameter)) spec.integers[parameter.name] = bound.integers.at(parameter.name);
  }
  return spec;
}

std::vector<std::int64_t> values_to_try(const Problem& problem, const std::string& scalar, std::int64_t old) {
  std::vector<std::int64_t> values;
  for (const CaseSpec& spec : problem.cases) values.push_back(spec.integers.at(scalar));
  for (const FuzzRange& range : problem.fuzz) {
    if (range.parameter == scalar) values.insert(values.end(), {range.low, range.high});
  }
  if (old < std::numeric_limits<std::int64_t>::max()) values.push_back(old + 1);
  if (old > std::numeric_limits<std::int64_t>::min()) values.push_back(old - 1);
  values.insert(values.end(), {old / 2, old / 3, 1, 2, 3, 4, 0});
  return values;
}

std::vector<Case> with_other_integers(const Problem& problem, const Case& bound, const Parameter& scalar,
                                      std::size_t most) {
  std::vector<Case> others;
  const ScalarType* const type = find_scalar_type(scalar.type);
  std::set<std::int64_t> tried = {bound.integers.at(scalar.name)};
  CaseSpec spec = spec_of(problem, bound);
  for (const std::int64_t value : values_to_try(problem, scalar.name, bound.integers.at(scalar.name))) {
    if (others.size() == most) break;
    if (value < type->low || value > type->high || !tried.insert(value).second) continue;
    spec.integers[scalar.name] = value;
    const auto resolved = resolve_case(problem, spec);
    if (!resolved || !same_shapes(*resolved, bound)) continue;
    others.push_back(bound);
    others.back().integers = resolved->integers;
  }
  return others;
}

}  // namespace

std::set<std::string> scalars_without_shape(const Problem& problem) {
  const Names shaping = names_in_shapes(problem);
  Names names;
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.pointer && !(is_integer(parameter) && shaping.contains(parameter.name)))
      names.insert(parameter.name);
  }
  return names;
}

std::vector<Case> with_other_values(const Problem& problem, const Case& bound, const std::string& scalar,
                                    std::size_t most) {
  const Parameter* const parameter = problem.find_parameter(scalar);
  if (is_integer(*parameter)) return with_other_integers(problem, bound, *parameter, most);
  Case changed = bound;
  changed.reals[scalar] = 2 * changed.reals[scalar] + 1;
  return {changed};
}

}  // namespace kgrade
