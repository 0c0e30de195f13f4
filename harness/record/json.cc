#include "record/json.h"

#include <fmt/format.h>

#include <cmath>

#include "base/statistics.h"
#include "record/json_parts.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity: an error beyond all bounds is null.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json times(const std::vector<double>& samples) {
  return {{"samples_ms", samples}, {"summary", json_of(summarise(samples))}};
}

// Times that no speedup is made of, by which speeds that cannot be are found (measure/speed_checks.h).
Json evidence_of(const CaseRecord& c) {
  return {{"repeated_ms", c.repeated_ms},
          {"changed_ms", c.changed_ms},
          {"unmeasured_ms", c.unmeasured_ms},
          {"reference_before_ms", c.reference_before_ms},
          {"reference_after_ms", c.reference_after_ms},
          {"lower_bound_ms", c.lower_bound_ms > 0 ? Json(c.lower_bound_ms) : Json(nullptr)}};
}

Json arm_json(const Measurement& measurement, std::size_t arm) {
  return {{"samples_ms", all_samples(measurement, arm)},
          {"summary", json_of(summarise(counted_samples(measurement, arm)))}};
}

// One letter an arm, numbered as `arms` has them: "02 1" would be hard to read, "cab" is not.
std::string order_text(const Block& block) {
  std::string text;
  for (const std::size_t arm : block.order) text += static_cast<char>('a' + arm);
  return text;
}

Json process_json(const ProcessBlocks& process) {
  Json orders = Json::array();
  Json voided = Json::array();
  for (std::size_t i = 0; i < process.blocks.size(); ++i) {
    orders.push_back(order_text(process.blocks[i]));
    if (!process.blocks[i].voided.empty())
      voided.push_back({{"block", i}, {"reason", process.blocks[i].voided}});
  }
  return {{"launches_per_sample", process.launches},
          {"ended", to_string(process.end)},
          {"orders", orders},
          {"void", voided}};
}

Json json_of(const Measurement& measurement) {
  Json processes = Json::array();
  for (const ProcessBlocks& process : measurement.processes) processes.push_back(process_json(process));
  return {{"cache", measurement.cache == CacheState::warm ? "warm" : "cold"},
          {"goal", json_of(measurement.goal)},
          {"process_offset_ms", measurement.process_offset_ms},
          {"arms", measurement.arms},
          {"processes", processes}};
}

Json json_of(const SpeedComparison& comparison) {
  Json json = {{"against", comparison.against}};
  json.update(json_of(comparison.ratio));
  return json;
}

Json json_of(const Score& score) {
  Json fast = Json::object();
  for (const auto& [p, share] : score.fast) fast[fmt::format("{}", p)] = share;
  return {{"against", score.against},
          {"geometric_mean", score.speedup.geometric_mean},
          {"interval", score.speedup.interval ? json_of(*score.speedup.interval) : Json(nullptr)},
          {"cases", score.speedup.count},
          {"fast_p", fast}};
}

template <class T>
Json array_of(const std::vector<T>& items, Json (*convert)(const T&)) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(convert(item));
  return array;
}

Json json_of(const CaseRoofline& roofline, const std::vector<std::string>& arms) {
  Json shares = Json::object();
  for (std::size_t arm = 0; arm < arms.size(); ++arm) shares[arms[arm]] = roofline.shares[arm];
  return {{"memory_ms", roofline.floor.memory_ms},
          {"arithmetic_ms", roofline.floor.arithmetic_ms},
          {"floor_ms", roofline.floor.ms()},
          {"bound_by", to_string(roofline.floor.bound_by())},
          {"shares", shares}};
}

Json json_of(const Ceilings& ceilings) {
  return {{"measured_at", ceilings.measured_at},
          {"tensor_instructions", ceilings.tensor_instructions},
          {"copy_bytes_per_second", ceilings.copy_bytes_per_second},
          {"fp32_flops_per_second", ceilings.fp32_flops_per_second},
          {"tf32_flops_per_second", ceilings.tf32_flops_per_second},
          {"fp16_flops_per_second", ceilings.fp16_flops_per_second},
          {"bf16_flops_per_second", ceilings.bf16_flops_per_second},
          {"fp64_flops_per_second", ceilings.fp64_flops_per_second}};
}

Json json_of(const TelemetrySummary& telemetry) {
  return {{"absent", telemetry.absent},
          {"missing", telemetry.missing},
          {"readings", telemetry.readings},
          {"seconds", telemetry.seconds},
          {"sm_clock_mhz", json_of(telemetry.sm_clock_mhz)},
          {"memory_clock_mhz", json_of(telemetry.memory_clock_mhz)},
          {"power_milliwatts", json_of(telemetry.power_milliwatts)},
          {"power_limit_milliwatts", json_of(telemetry.power_limit_milliwatts)},
          {"temperature_celsius", json_of(telemetry.temperature_celsius)},
          {"reasons", reasons_json(telemetry)},
          {"other_processes", value_or_null(telemetry.other_processes)}};
}

Json json_of(const ClockRecord& clock) {
  return {{"attested_share", clock.attested_share},
          {"protocol_ms", clock.protocol_ms},
          {"samples", clock.samples},
          {"raised", {{"candidate", clock.raised_candidate}, {"reference", clock.raised_reference}}}};
}

void add_times(Json& json, const CaseRecord& c) {
  if (!c.measurement) {
    json["candidate"] = times(c.candidate_ms);
    json["reference"] = times(c.reference_ms);
  } else {
    const Measurement& measurement = *c.measurement;
    json["candidate"] = arm_json(measurement, measurement.arms.size() - 1);
    json["reference"] = arm_json(measurement, 0);
    if (measurement.arms.size() > 2) {
      json["baseline"] = arm_json(measurement, 1);
      json["baseline"]["name"] = measurement.arms[1];
    }
    json["measurement"] = json_of(measurement);
  }
  json["candidate"]["wall_samples_ms"] = c.candidate_wall_ms;
  json["comparisons"] = array_of<SpeedComparison>(c.comparisons, json_of);
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
  add_times(json, c);
  if (c.clock) json["clock"] = json_of(*c.clock);
  json["roofline"] = c.roofline ? json_of(*c.roofline, c.measurement->arms) : Json(nullptr);
  json["evidence"] = evidence_of(c);
  return json;
}

Json json_of(const Check& check) {
  constexpr const char* outcomes[] = {"passed", "failed", "not_run"};
  return {
      {"name", check.name}, {"outcome", outcomes[static_cast<int>(check.outcome)]}, {"detail", check.detail}};
}

Json json_of(const BaselineCase& c) {
  return {{"name", c.name},
          {"problem", c.problem},
          {"precision", to_string(c.precision)},
          {"relative_error", finite_or_null(c.relative_error)},
          {"samples_ms", c.ms},
          {"summary", json_of(summarise(c.ms))}};
}

Json json_of(const BaselineRecord& baseline) {
  return {{"name", baseline.name},
          {"path", baseline.path},
          {"sha256", baseline.sha256},
          {"problem", baseline.problem},
          {"cases", array_of<BaselineCase>(baseline.cases, json_of)}};
}

Json json_of(const CandidateRecord& candidate) {
  return {{"path", candidate.path},
          {"sha256", candidate.sha256},
          {"verdict", to_string(candidate.verdict)},
          {"message", candidate.message},
          {"precision", to_string(candidate.precision)},
          {"scores", array_of<Score>(candidate.scores, json_of)},
          {"compile",
           {{"seconds", candidate.compile_seconds},
            {"cached", candidate.compile_cached},
            {"log", candidate.compiler_log}}},
          {"libraries", {{"linked", candidate.libraries.linked}, {"opened", candidate.libraries.opened}}},
          {"telemetry", json_of(candidate.telemetry)},
          {"notes", candidate.notes},
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
  json["effort"] = to_string(record.effort);
  json["baselines"] = {{"missing", record.no_baselines},
                       {"contestants", array_of<BaselineRecord>(record.baselines, json_of)}};
  json["ceilings"] = record.ceilings ? json_of(*record.ceilings) : Json(nullptr);
  json["notes"] = record.notes;
  json["candidates"] = array_of<CandidateRecord>(record.candidates, json_of);
  end_json(json, record);
  return json;
}

std::string to_text(const Record& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
