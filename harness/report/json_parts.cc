#include "report/json_parts.h"

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

Json begin_json(const RunRecord& record, const std::string& schema, int schema_version) {
  return {
      {"schema", schema},
      {"schema_version", schema_version},
      {"tool", json_of(record.tool)},
      {"started_at", record.started_at},
      {"host", json_of(record.host)},
      {"device", json_of(record.device)},
      {"sandbox", json_of(record.sandbox)},
      {"problem",
       {{"slug", record.problem_slug}, {"title", record.problem_title}, {"sha256", record.problem_sha256}}},
      {"reference", {{"path", record.reference.path}, {"sha256", record.reference.sha256}}},
      {"toolchain", record.toolchain},
      // As text: a 64-bit seed does not survive readers that know only doubles.
      {"seed", std::to_string(record.seed)}};
}

void end_json(Json& json, const RunRecord& record) {
  Json stages = Json::object();
  for (const StageTime& stage : record.stages) stages[stage.name] = stage.seconds;
  json["stages_seconds"] = stages;
  json["total_seconds"] = record.total_seconds;
}

}  // namespace kgrade
