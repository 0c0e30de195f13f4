#include "record/telemetry_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

namespace kgrade {
namespace {

// "1950 MHz (1900 to 1980)", in units of `unit`.
void add_range(std::vector<std::string>& parts, const char* what, const std::optional<TelemetryRange>& range,
               double unit, const char* name) {
  if (!range) return;
  parts.push_back(fmt::format("{} {:.0f} {} ({:.0f} to {:.0f})", what, range->median / unit, name,
                              range->minimum / unit, range->maximum / unit));
}

}  // namespace

std::string held_down_text(const TelemetrySummary& telemetry, const Style& style) {
  std::vector<std::string> reasons;
  for (const ReasonShare& reason : telemetry.reasons)
    reasons.push_back(fmt::format("{} for {:.0f} % of the time", reason.name, 100 * reason.share));
  if (reasons.empty()) return "";
  return fmt::format("  {} {}\n", style(Colour::yellow, "clocks held down:"), fmt::join(reasons, ", "));
}

std::string telemetry_text(const TelemetrySummary& telemetry) {
  if (telemetry.readings + telemetry.failed_readings == 0) return "";
  std::vector<std::string> parts;
  add_range(parts, "SM clock", telemetry.sm_clock_mhz, 1, "MHz");
  add_range(parts, "memory clock", telemetry.memory_clock_mhz, 1, "MHz");
  add_range(parts, "power", telemetry.power_milliwatts, 1000, "W");
  add_range(parts, "of at most", telemetry.power_limit_milliwatts, 1000, "W");
  add_range(parts, "temperature", telemetry.temperature_celsius, 1, "degrees Celsius");
  if (telemetry.other_processes)
    parts.push_back(fmt::format("other processes {}", *telemetry.other_processes));
  parts.push_back(fmt::format("{} readings in {:.1f} s", telemetry.readings, telemetry.seconds));
  if (telemetry.failed_readings > 0) parts.push_back(fmt::format("{} failed", telemetry.failed_readings));
  return fmt::format("\n  telemetry: {}\n", fmt::join(parts, ", "));
}

}  // namespace kgrade
