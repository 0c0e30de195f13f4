#include "measure/voiding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

namespace kgrade {
namespace {

constexpr std::uint64_t thermal = clock_event::sw_thermal | clock_event::hw_thermal;

bool is_thermal(std::uint64_t reasons) { return (reasons & thermal) != 0; }
bool is_power_brake(std::uint64_t reasons) { return (reasons & clock_event::hw_power_brake) != 0; }
// With no cause that we could name instead.
bool is_hardware(std::uint64_t reasons) {
  return (reasons & clock_event::hw_slowdown) != 0 && !is_thermal(reasons) && !is_power_brake(reasons);
}

constexpr const char* thermal_words = "thermal slowdown";
constexpr const char* power_brake_words = "the power brake";
constexpr const char* hardware_words = "hardware slowdown";

}  // namespace

std::string voiding_words(std::uint64_t reasons) {
  std::vector<const char*> parts;
  if (is_thermal(reasons)) parts.push_back(thermal_words);
  if (is_power_brake(reasons)) parts.push_back(power_brake_words);
  if (is_hardware(reasons)) parts.push_back(hardware_words);
  return fmt::format("{}", fmt::join(parts, " and "));
}

double ArmPowerCap::share() const {
  if (readings.readings == 0) return 0;
  return static_cast<double>(readings.power_capped) / static_cast<double>(readings.readings);
}

std::optional<std::string> power_cap_warning(const ArmPowerCap& one, const ArmPowerCap& other) {
  if (one.readings.readings == 0 || other.readings.readings == 0) return std::nullopt;
  const double difference = std::abs(one.share() - other.share());
  if (difference <= power_cap_points) return std::nullopt;
  const auto adjusted = [](const ArmReadings& of) {
    const double count = static_cast<double>(of.readings) + 2;
    const double share = (static_cast<double>(of.power_capped) + 1) / count;
    return std::pair{share, share * (1 - share) / count};
  };
  const auto [share, variance] = adjusted(one.readings);
  const auto [other_share, other_variance] = adjusted(other.readings);
  if (std::abs(share - other_share) <= 2 * std::sqrt(variance + other_variance)) return std::nullopt;
  return fmt::format(
      "the power limit slowed {} in {:.0f} % of its readings and {} in {:.0f} %: their speeds are those "
      "at this power limit",
      one.name, 100 * one.share(), other.name, 100 * other.share());
}

std::string TelemetryWatch::end_block() {
  const BlockTelemetry block = sampler_.end_block();
  // A block of which no reading knew the reasons has none: it counts, unwatched.
  has_seen_any_ = has_seen_any_ || block.known;
  return voiding_words(block.reasons);
}

}  // namespace kgrade
