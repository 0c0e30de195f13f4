#include "record/shared_json.h"

namespace kgrade {

LineRange LineRangeRule::operator()(const JsonValue& value) const {
  LineRange lines;
  const std::vector<JsonValue> numbers = value.items(2);
  if (numbers.size() == 2) {
    lines.first = static_cast<int>(numbers[0].integer(1, INT32_MAX));
    lines.last = static_cast<int>(numbers[1].integer(1, INT32_MAX));
  }
  if (numbers.size() != 2 || lines.last < lines.first) value.complain("are no first and last line");
  return lines;
}

nlohmann::ordered_json LineRangeRule::written(const LineRange& lines) {
  return nlohmann::ordered_json::array({lines.first, lines.last});
}

nlohmann::ordered_json LineRangeRule::schema() {
  return {{"type", "array"}, {"items", from_one.schema()}, {"minItems", 2}, {"maxItems", 2}};
}

std::optional<Summary> summary_or_none(const Summary& summary) {
  return summary.count > 0 ? std::optional(summary) : std::nullopt;
}

std::optional<std::vector<ReasonShare>> known_reasons(const TelemetrySummary& telemetry) {
  return telemetry.reasons_known ? std::optional(telemetry.reasons) : std::nullopt;
}

nlohmann::ordered_json scalar_values(const Problem& problem, const Bindings& integers, const Reals& reals) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const Parameter& parameter : problem.parameters) {
    const auto whole = integers.find(parameter.name);
    const auto real = reals.find(parameter.name);
    if (whole != integers.end()) values[parameter.name] = whole->second;
    if (whole != integers.end() && parameter.type == "bool") values[parameter.name] = whole->second != 0;
    if (real != reals.end()) values[parameter.name] = real->second;
  }
  return values;
}

}  // namespace kgrade
