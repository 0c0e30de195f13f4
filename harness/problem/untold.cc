#include "problem/untold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "problem/module_call.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

// The arguments of forward() without the shapes of memory for outputs, which are shapes of outputs too.
Json without_shapes(const std::string& forward) {
  return Json::parse(forward, [](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_end && value.contains("blank")) value["blank"].erase("shape");
    return true;
  });
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool are_told_apart(const Case& a, const Case& b, Given given) {
  const auto have_one_shape = [](const Tensor& one, const Tensor& other) { return one.shape == other.shape; };
  return a.integers != b.integers || a.reals != b.reals ||
         (given == Given::tensors && !std::ranges::equal(a.tensors, b.tensors, have_one_shape));
}

// What distinguishes two cases that are not told apart. Empty: nothing.
std::string difference(const Case& a, const Case& b, const ModuleCase& of_a, const ModuleCase& of_b) {
  for (std::size_t i = 0; i < a.tensors.size(); ++i)
    if (a.tensors[i].shape != b.tensors[i].shape)
      return fmt::format("the shape of '{}' is {} in the case '{}' and {} in '{}'", a.tensors[i].name,
                         shape_text(a.tensors[i].shape), a.name, shape_text(b.tensors[i].shape), b.name);
  const Json here = without_shapes(of_a.forward);
  const Json there = without_shapes(of_b.forward);
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i)
    if (here[i] != there[i])
      return fmt::format("forward() gets {} in the case '{}' and {} in '{}'",
                         given_value_text(here[i].dump()), a.name, given_value_text(there[i].dump()), b.name);
  if (here.size() != there.size())
    return fmt::format("forward() gets {} arguments in the case '{}' and {} in '{}'", here.size(), a.name,
                       there.size(), b.name);
  if (of_a.axes != of_b.axes)
    return fmt::format("an input lies in memory in another order in the case '{}' than in '{}'", a.name,
                       b.name);
  if (of_a.given == of_b.given) return "";
  return fmt::format("the problem is Model({}) in the case '{}' and Model({}) in '{}'",
                     to_string(ModuleCall{of_a.given, {}, {}, {}}), a.name,
                     to_string(ModuleCall{of_b.given, {}, {}, {}}), b.name);
}

}  // namespace

std::string untold(const Problem& problem, const std::vector<Case>& cases, Given given) {
  const char* const kind = given == Given::pointers ? "a candidate in CUDA C++" : "a function in Python";
  std::vector<std::pair<const Case*, const ModuleCase*>> seen;
  for (const Case& bound : cases) {
    const CaseSpec* const spec = problem.find_case(bound.name);
    if (spec == nullptr || !spec->module) continue;
    for (const Tensor& tensor : bound.tensors)
      if (given == Given::pointers && tensor.own_dtype != problem.parameters[tensor.parameter].own_dtype())
        return fmt::format(
            "the type of '{}' is another one in the case '{}', and {} has one type for each pointer",
            tensor.name, bound.name, kind);
    const auto same = std::ranges::find_if(
        seen, [&](const auto& other) { return !are_told_apart(*other.first, bound, given); });
    if (same == seen.end()) {
      seen.emplace_back(&bound, &*spec->module);
    } else if (const std::string found = difference(*same->first, bound, *same->second, *spec->module);
               !found.empty()) {
      return fmt::format("{}, and no argument of {} tells this", found, kind);
    }
  }
  return "";
}

}  // namespace kgrade
