#include "contest/case_description.h"

#include <nlohmann/json.hpp>

#include "problem/module_call.h"

namespace kgrade {

std::string case_description(const Problem& problem, const Case& bound, bool widened, std::size_t number) {
  nlohmann::ordered_json description = {{"shapes", nlohmann::ordered_json::object()},
                                        {"types", nlohmann::ordered_json::object()},
                                        {"dtype", std::string(to_string(bound.dtype))},
                                        {"scalars", nlohmann::ordered_json::object()},
                                        {"module", nullptr},
                                        {"number", number}};
  for (const Tensor& tensor : bound.tensors) {
    description["shapes"][tensor.name] = tensor.shape;
    description["types"][tensor.name] = std::string(to_string(bound.stored_as(tensor, widened)));
  }
  for (const Parameter& parameter : problem.arguments()) {
    if (parameter.is_tensor()) continue;
    const auto integer = bound.integers.find(parameter.name);
    const auto real = bound.reals.find(parameter.name);
    if (integer != bound.integers.end()) description["scalars"][parameter.name] = integer->second;
    if (real != bound.reals.end()) description["scalars"][parameter.name] = real->second;
  }
  if (const auto call = module_call(problem, bound)) description["module"] = to_json(*call);
  return description.dump();
}

}  // namespace kgrade
