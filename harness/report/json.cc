#include "report/json.h"

#include <cmath>

#include "measure/statistics.h"
#include "report/json_parts.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity: an error beyond all bounds is null.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Summary& summary) {
  if (summary.count == 0) return nullptr;
  return {{"count", summary.count},
          {"median_ms", summary.median},
          {"first_quartile_ms", summary.first_quartile},
          {"third_quartile_ms", summary.third_quartile},
          {"minimum_ms", summary.minimum}};
}

Json times(const std::vector<double>& samples) {
  return {{"samples_ms", samples}, {"summary", json_of(summarise(samples))}};
}

// Times that no speedup is made of, by which speeds that cannot be are found (grade/speed_checks.h).
Json evidence_of(const CaseRecord& c) {
  return {{"repeated_ms", c.repeated_ms},
          {"unmeasured_ms", c.unmeasured_ms},
          {"reference_before_ms", c.reference_before_ms},
          {"reference_after_ms", c.reference_after_ms},
          {"lower_bound_ms", c.lower_bound_ms > 0 ? Json(c.lower_bound_ms) : Json(nullptr)}};
}

Json json_of(const CaseRecord& c) {
  Json parameters = Json::object();
  for (const auto& [name, value] : c.parameters) parameters[name] = value;
  for (const auto& [name, value] : c.real_parameters) parameters[name] = value;
  Json json = {{"name", c.name},
               {"role", to_string(c.role)},
               {"parameters", parameters},
               {"tensor_bytes", c.tensor_bytes},
               {"flops", value_or_null(c.flops)},
               {"run", c.run},
               {"verdict", c.run ? Json(to_string(c.verdict)) : Json(nullptr)},
               {"message", c.message}};
  if (!c.run) return json;
  json["precision"] = to_string(c.precision);
  json["error"] = {{"relative", finite_or_null(c.relative_error)},
                   {"max_scaled", finite_or_null(c.max_scaled_error)}};
  json["calls"] = c.calls;
  json["latency_hidden"] = c.latency_hidden;
  json["candidate"] = times(c.candidate_ms);
  json["candidate"]["wall_samples_ms"] = c.candidate_wall_ms;
  json["reference"] = times(c.reference_ms);
  json["speedup"] = value_or_null(c.speedup);
  json["evidence"] = evidence_of(c);
  return json;
}

Json json_of(const Check& check) {
  constexpr const char* outcomes[] = {"passed", "failed", "not_run"};
  return {
      {"name", check.name}, {"outcome", outcomes[static_cast<int>(check.outcome)]}, {"detail", check.detail}};
}

template <class T>
Json array_of(const std::vector<T>& items, Json (*convert)(const T&)) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(convert(item));
  return array;
}

Json json_of(const CandidateRecord& candidate) {
  return {{"path", candidate.path},
          {"sha256", candidate.sha256},
          {"verdict", to_string(candidate.verdict)},
          {"message", candidate.message},
          {"precision", to_string(candidate.precision)},
          {"speedup", value_or_null(candidate.speedup)},
          {"compile", {{"seconds", candidate.compile_seconds}, {"log", candidate.compiler_log}}},
          {"libraries", {{"linked", candidate.libraries.linked}, {"opened", candidate.libraries.opened}}},
          {"checks", array_of<Check>(candidate.checks, json_of)},
          {"cases", array_of<CaseRecord>(candidate.cases, json_of)}};
}

}  // namespace

Json to_json(const Record& record) {
  Json json = begin_json(record, "kgrade-record", record_schema_version);
  json["problem"]["precision"] = to_string(record.required_precision);
  json["problem"]["thresholds"] = {
      {"fp32", record.thresholds.fp32}, {"tf32", record.thresholds.tf32}, {"bf16", record.thresholds.bf16}};
  json["hidden_seed"] = record.hidden_seed ? Json(std::to_string(*record.hidden_seed)) : Json(nullptr);
  json["quick"] = record.quick;
  json["candidates"] = array_of<CandidateRecord>(record.candidates, json_of);
  end_json(json, record);
  return json;
}

std::string to_text(const Record& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
