#include "selftest/selftest_json.h"

#include "record/run_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Share& share) {
  return {{"count", share.count},
          {"trials", share.trials},
          {"share", share.value()},
          {"interval", json_of(share.interval())}};
}

Json json_of(const SameWork& same) {
  return {{"comparisons", same.comparisons},
          {"false_calls", json_of(same.called)},
          {"excludes_one", json_of(same.excludes_one)},
          {"median_log_error", same.median_error},
          {"log_error_95th", same.large_error},
          {"median_half_width", same.median_half_width},
          {"median_blocks", same.median_blocks},
          {"median_seconds", same.median_seconds}};
}

Json json_of(const std::vector<SlowedDown>& all) {
  Json json = Json::array();
  for (const SlowedDown& slowed : all) {
    json.push_back({{"asked", slowed.asked},
                    {"median_added", slowed.median_added},
                    {"seen", json_of(slowed.seen)},
                    {"covered", json_of(slowed.covered)},
                    {"median_bias", slowed.median_bias}});
  }
  return json;
}

Json json_of(const SelftestKernel& kernel) {
  return {{"name", kernel.name},
          {"bound_by", kernel.bound_by},
          {"target_ms", kernel.target_ms},
          {"length", kernel.length},
          {"ms_per_length", kernel.ms_per_length},
          {"pilot_ms", kernel.pilot_ms},
          {"median_ms", kernel.median_ms},
          {"overhead_limited", kernel.overhead_limited},
          {"same", json_of(kernel.same)},
          {"slowed", json_of(kernel.slowed)}};
}

Json json_of(const SelftestComparison& comparison, const std::string& kernel) {
  return {{"kernel", kernel},
          {"asked", comparison.asked},
          {"added", value_or_null(comparison.added)},
          {"lengths", {comparison.length, comparison.second_length}},
          {"ratio", comparison.ratio ? json_of(*comparison.ratio) : Json(nullptr)},
          {"problem", comparison.problem},
          {"first", json_of(comparison.first)},
          {"second", json_of(comparison.second)},
          {"launches_per_sample", comparison.launches},
          {"blocks", comparison.blocks},
          {"void_blocks", comparison.void_blocks},
          {"ended", to_string(comparison.end)},
          {"seconds", comparison.seconds}};
}

Json json_of(const Criterion& criterion) {
  return {{"name", criterion.name},
          {"what", criterion.what},
          {"share", json_of(criterion.share)},
          {"lowest", criterion.lowest},
          {"highest", criterion.highest},
          {"outcome", to_string(criterion.outcome)}};
}

Json json_of(const TelemetrySummary& telemetry) {
  return {{"absent", telemetry.absent},
          {"readings", telemetry.readings},
          {"sm_clock_mhz", json_of(telemetry.sm_clock_mhz)},
          {"power_milliwatts", json_of(telemetry.power_milliwatts)},
          {"temperature_celsius", json_of(telemetry.temperature_celsius)},
          {"clock_event_reasons", reasons_json(telemetry)},
          {"other_processes", value_or_null(telemetry.other_processes)}};
}

Json floor_json(const SelftestFloor& floor) {
  return {{"samples_ms", floor.empty_ms},
          {"summary", json_of(summarise(floor.empty_ms))},
          {"grain_ms", value_or_null(floor.grain_ms)}};
}

template <class T>
Json array_of(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(json_of(item));
  return json;
}

Json comparisons_json(const SelftestRecord& record) {
  Json json = Json::array();
  for (const SelftestComparison& c : record.comparisons) {
    json.push_back(json_of(c, record.kernels[c.kernel].name));
  }
  return json;
}

}  // namespace

Json to_json(const SelftestRecord& record) {
  return {{"schema", "kgrade-selftest"},
          {"schema_version", selftest_schema_version},
          {"tool", json_of(record.tool)},
          {"started_at", record.started_at},
          {"host", json_of(record.host)},
          {"device", json_of(record.device)},
          {"sandbox", json_of(record.sandbox)},
          {"toolchain", record.toolchain},
          // As text: a 64-bit seed does not survive readers that know only doubles.
          {"seed", std::to_string(record.seed)},
          {"effort", to_string(record.effort)},
          {"goal", json_of(record.goal)},
          {"fresh_processes", record.fresh_processes},
          {"judged", record.judged()},
          {"criteria", record.judged() ? array_of(record.criteria) : Json::array()},
          {"floor", floor_json(record.floor)},
          {"kernels", array_of(record.kernels)},
          {"all", {{"same", json_of(record.same)}, {"slowed", json_of(record.slowed)}}},
          {"disturbed", record.disturbed},
          {"refused", record.refused},
          {"comparisons", comparisons_json(record)},
          {"telemetry", json_of(record.telemetry)},
          {"notes", record.notes},
          {"stages_seconds", stages_json(record.stages)},
          {"total_seconds", record.total_seconds}};
}

std::string to_text(const SelftestRecord& record) {
  return to_json(record).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
