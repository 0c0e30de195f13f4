#include "record/json_parts.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

Json json_of(const ToolInfo& tool) {
  return {{"name", "kgrade"},
          {"version", tool.version},
          {"git_commit", tool.git_commit},
          {"git_dirty", tool.git_dirty}};
}

Json json_of(const DeviceInfo& device) {
  Json json = {{"kind", device.kind},
               {"name", device.name},
               {"uuid", device.uuid},
               {"architecture", device.architecture},
               {"driver_version", device.driver_version},
               {"runtime_version", device.runtime_version},
               {"multiprocessors", device.multiprocessors},
               {"memory_bytes", device.memory_bytes},
               {"l2_bytes", device.l2_bytes},
               {"times_are_speed", device.measures_speed}};
  if (!device.thread_order.empty()) json["thread_order"] = device.thread_order;
  return json;
}

Json json_of(const HostInfo& host) {
  return {{"system", host.system},       {"kernel", host.kernel}, {"machine", host.machine},
          {"processor", host.processor}, {"cores", host.cores},   {"memory_bytes", host.memory_bytes}};
}

Json json_of(const SandboxRecord& sandbox) {
  Json layers = Json::array();
  for (const SandboxLayer& layer : sandbox.layers) {
    layers.push_back(
        {{"name", layer.name}, {"active", layer.active}, {"detail", layer.detail}, {"remedy", layer.remedy}});
  }
  return {{"confined", sandbox.confined}, {"layers", layers}};
}

Json json_of(const Summary& summary) {
  if (summary.count == 0) return nullptr;
  return {{"count", summary.count},
          {"median_ms", summary.median},
          {"first_quartile_ms", summary.first_quartile},
          {"third_quartile_ms", summary.third_quartile},
          {"minimum_ms", summary.minimum}};
}

Json json_of(const Interval& interval) { return {{"low", interval.low}, {"high", interval.high}}; }

Json json_of(const SpeedRatio& ratio) {
  return {{"speedup", ratio.ratio},
          {"interval", ratio.interval ? json_of(*ratio.interval) : Json(nullptr)},
          {"half_width", value_or_null(ratio.half_width())},
          {"statement", to_string(ratio.statement())},
          {"method", to_string(ratio.method)},
          {"count", ratio.count}};
}

Json json_of(const MeasuringGoal& goal) {
  return {{"half_width", goal.half_width},
          {"budget_seconds", goal.budget_seconds},
          {"processes", goal.processes},
          {"most_processes", goal.most_processes}};
}

Json json_of(const std::optional<TelemetryRange>& range) {
  if (!range) return nullptr;
  return {{"minimum", range->minimum}, {"median", range->median}, {"maximum", range->maximum}};
}

Json reasons_json(const TelemetrySummary& telemetry) {
  if (!telemetry.reasons_known) return nullptr;
  Json reasons = Json::object();
  for (const ReasonShare& reason : telemetry.reasons) reasons[reason.name] = reason.share;
  return reasons;
}

Json stages_json(const std::vector<StageTime>& stages) {
  Json json = Json::object();
  for (const StageTime& stage : stages) json[stage.name] = stage.seconds;
  return json;
}

Json begin_json(const RunRecord& record, const std::string& schema, int schema_version) {
  return {{"schema", schema},
          {"schema_version", schema_version},
          {"tool", json_of(record.tool)},
          {"started_at", record.started_at},
          {"host", json_of(record.host)},
          {"device", json_of(record.device)},
          {"sandbox", json_of(record.sandbox)},
          {"problem",
           {{"slug", record.problem_slug},
            {"title", record.problem_title},
            {"sha256", record.problem_sha256},
            {"dtype", to_string(record.dtype)}}},
          {"reference", {{"path", record.reference.path}, {"sha256", record.reference.sha256}}},
          {"toolchain", record.toolchain},
          // As text: a 64-bit seed does not survive readers that know only doubles.
          {"seed", std::to_string(record.seed)}};
}

void end_json(Json& json, const RunRecord& record) {
  json["stages_seconds"] = stages_json(record.stages);
  json["total_seconds"] = record.total_seconds;
}

}  // namespace kgrade
