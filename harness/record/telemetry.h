// What a GPU said of itself while it was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

struct TelemetryRange {
  unsigned minimum = 0;
  double median = 0;
  unsigned maximum = 0;

  bool operator==(const TelemetryRange&) const = default;
};

struct ReasonShare {
  std::string name;
  double share = 0;  // of the time, 0 to 1

  bool operator==(const ReasonShare&) const = default;
};

// For the record.
struct TelemetrySummary {
  std::string absent;                // why there is no telemetry; empty when there is
  std::vector<std::string> missing;  // see Telemetry::missing()
  std::uint64_t readings = 0;
  std::uint64_t failed_readings = 0;
  double seconds = 0;  // from the first reading to the last
  std::optional<TelemetryRange> sm_clock_mhz;
  std::optional<TelemetryRange> memory_clock_mhz;
  std::optional<TelemetryRange> power_milliwatts;
  std::optional<TelemetryRange> power_limit_milliwatts;
  std::optional<TelemetryRange> temperature_celsius;
  bool reasons_known = false;               // in one reading at least; the next two say nothing without
  std::vector<ReasonShare> reasons;         // that were seen, by rising bit
  double power_capped_share = 0;            // that of sw_power_cap among them
  std::optional<unsigned> other_processes;  // the most that were seen at once; unset: never known
};

}  // namespace kgrade
