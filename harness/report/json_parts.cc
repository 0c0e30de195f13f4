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

Json json_of(const std::vector<StageTime>& stages) {
  Json json = Json::object();
  for (const StageTime& stage : stages) json[stage.name] = stage.seconds;
  return json;
}

}  // namespace kgrade
