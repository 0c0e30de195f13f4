// Parts that the records of several commands have in common.
#pragma once

#include <nlohmann/json.hpp>

#include "report/record.h"

namespace kgrade {

nlohmann::ordered_json json_of(const ToolInfo& tool);
nlohmann::ordered_json json_of(const HostInfo& host);
nlohmann::ordered_json json_of(const DeviceInfo& device);
nlohmann::ordered_json json_of(const SandboxRecord& sandbox);

// What every record begins with, from its schema's name to the seed.
nlohmann::ordered_json begin_json(const RunRecord& record, const std::string& schema, int schema_version);
// And what it ends with: times.
void end_json(nlohmann::ordered_json& json, const RunRecord& record);

}  // namespace kgrade
