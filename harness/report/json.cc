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
          {"checks", array_of<Check>(candidate.checks, json_of)},
          {"cases", array_of<CaseRecord>(candidate.cases, json_of)}};
}

}  // namespace

Json to_json(const Record& record) {
  return {{"schema", "kgrade-record"},
          {"schema_version", record_schema_version},
          {"tool", json_of(record.tool)},
          {"started_at", record.started_at},
          {"host", json_of(record.host)},
          {"device", json_of(record.device)},
          {"problem",
           {{"slug", record.problem_slug},
            {"title", record.problem_title},
            {"sha256", record.problem_sha256},
            {"precision", to_string(record.required_precision)},
            {"thresholds",
             {{"fp32", record.thresholds.fp32},
              {"tf32", record.thresholds.tf32},
              {"bf16", record.thresholds.bf16}}}}},
          {"reference", {{"path", record.reference.path}, {"sha256", record.reference.sha256}}},
          {"toolchain", record.toolchain},
          // As text: a 64-bit seed does not survive readers that know only doubles.
          {"seed", std::to_string(record.seed)},
          {"quick", record.quick},
          {"candidates", array_of<CandidateRecord>(record.candidates, json_of)},
          {"stages_seconds", json_of(record.stages)},
          {"total_seconds", record.total_seconds}};
}

std::string to_text(const Record& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
