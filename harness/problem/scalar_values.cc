#include "problem/scalar_values.h"

#include <fmt/format.h>

#include "problem/fields.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

// 0 and 1 are as good as false and true.
std::optional<std::int64_t> read_flag(const YamlNode& entry, const std::string& what,
                                      Diagnostics& diagnostics) {
  if (entry.is_scalar() && parse_integer(entry.value)) return parse_integer(entry.value);
  const auto value = read_bool(entry, what, diagnostics);
  return value ? std::optional<std::int64_t>(*value ? 1 : 0) : std::nullopt;
}

}  // namespace

bool read_scalar(const YamlNode& entry, const Parameter& parameter, ScalarValues& values,
                 Diagnostics& diagnostics) {
  const ScalarType* type = find_scalar_type(parameter.type);
  const std::string what = in_quotes(parameter.name);
  if (!type->is_integer()) {
    const auto value = read_real(entry, what, diagnostics);
    if (value) values.reals[parameter.name] = *value;
    return value.has_value();
  }
  const auto value =
      type->name == "bool" ? read_flag(entry, what, diagnostics) : read_integer(entry, what, diagnostics);
  if (!value || !check_scalar_range(entry, *value, *type, diagnostics)) return false;
  values.integers[parameter.name] = *value;
  return true;
}

bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type,
                        Diagnostics& diagnostics) {
  if (value >= type.low && value <= type.high) return true;
  diagnostics.add(entry.place(),
                  fmt::format("{} is outside of the type {} of '{}'", value, type.name, entry.key),
                  fmt::format("write an integer from {} to {}", type.low, type.high));
  return false;
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::vector<std::string> scalar_names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (!parameter.pointer) names.push_back(parameter.name);
  }
  return names;
}

}  // namespace kgrade
