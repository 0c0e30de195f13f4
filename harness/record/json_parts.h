// Parts that the records of several commands have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "record/record.h"

namespace kgrade {

nlohmann::ordered_json json_of(const ToolInfo& tool);
nlohmann::ordered_json json_of(const HostInfo& host);
nlohmann::ordered_json json_of(const DeviceInfo& device);
nlohmann::ordered_json json_of(const SandboxRecord& sandbox);

template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// Null without samples.
nlohmann::ordered_json json_of(const Summary& summary);
nlohmann::ordered_json json_of(const Interval& interval);
nlohmann::ordered_json json_of(const SpeedRatio& ratio);
nlohmann::ordered_json json_of(const MeasuringGoal& goal);
// Null where it is not known.
nlohmann::ordered_json json_of(const std::optional<TelemetryRange>& range);
// Why clocks were low: shares of the time by name; null where that is not known.
nlohmann::ordered_json reasons_json(const TelemetrySummary& telemetry);
nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages);

// What every record begins with, from its schema's name to the seed.
nlohmann::ordered_json begin_json(const RunRecord& record, const std::string& schema, int schema_version);
// And what it ends with: times.
void end_json(nlohmann::ordered_json& json, const RunRecord& record);

}  // namespace kgrade
