#include "record/scalar_values.h"

#include <nlohmann/json.hpp>

namespace kgrade {

using Json = nlohmann::ordered_json;

Json scalar_values(const Problem& problem, const Bindings& integers, const Reals& reals) {
  Json values = Json::object();
  for (const Parameter& parameter : problem.parameters) {
    const auto whole = integers.find(parameter.name);
    const auto real = reals.find(parameter.name);
    if (whole != integers.end())
      values[parameter.name] = parameter.type == "bool" ? Json(whole->second != 0) : Json(whole->second);
    if (real != reals.end()) values[parameter.name] = real->second;
  }
  return values;
}

}  // namespace kgrade
