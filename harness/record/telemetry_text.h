// What the GPU's driver said while a candidate was measured, for people.
#pragma once

#include <string>

#include "record/telemetry.h"
#include "record/terminal.h"

namespace kgrade {

// "  clocks held down: sw_power_cap for 25 % of the time\n"; empty when they were not, or when it is unknown.
std::string held_down_text(const TelemetrySummary& telemetry, const Style& style);

// Clocks, power, temperature, other processes, and how often they were read; empty without telemetry.
std::string telemetry_text(const TelemetrySummary& telemetry);

}  // namespace kgrade
