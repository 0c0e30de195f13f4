// Parts that the records of several commands have in common.
#pragma once

#include <nlohmann/json.hpp>

#include "report/record.h"

namespace kgrade {

nlohmann::ordered_json json_of(const ToolInfo& tool);
nlohmann::ordered_json json_of(const HostInfo& host);
nlohmann::ordered_json json_of(const DeviceInfo& device);
nlohmann::ordered_json json_of(const std::vector<StageTime>& stages);

}  // namespace kgrade
