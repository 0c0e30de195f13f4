// Which blocks do not count because the GPU slowed itself down, and whether a power limit has met both sides
// alike. The rules are those of the measuring protocol; all but TelemetryWatch is arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/block_run.h"
#include "measure/telemetry.h"

namespace kgrade {

// Those among the reasons for which a block is void: "thermal slowdown" (in hardware or in software), "the
// power brake", "hardware slowdown" (unnamed beside its cause), joined by "and"; empty when none of them
// voids. A software power cap is a limit that a kernel reaches by its own work, an idle GPU and clocks that
// a user has set are no disturbance: the block counts.
std::string voiding_words(std::uint64_t reasons);

struct ArmPowerCap {
  std::string name;
  ArmReadings readings;

  // Share of the readings under a software power cap, 0 to 1; 0 without readings.
  double share() const;
};

// Two arms compared: what to tell when the power cap met one more often than the other. It does when the
// shares differ by more than `power_cap_points` and by more than two standard errors of their difference,
// after A. Agresti and B. Caffo, "Simple and Effective Confidence Intervals for Proportions and Differences
// of Proportions", The American Statistician 54, 2000 (one capped and one other reading added to each side):
// ten readings a side differ by more than ten points by chance.
constexpr double power_cap_points = 0.10;
std::optional<std::string> power_cap_warning(const ArmPowerCap& one, const ArmPowerCap& other);

// Watches blocks by telemetry. Owns neither.
class TelemetryWatch : public BlockWatch {
 public:
  explicit TelemetryWatch(TelemetrySampler& sampler) : sampler_(sampler) {}

  void begin_block() override { sampler_.begin_block(); }
  std::string end_block() override;
  bool has_seen_any() const override { return has_seen_any_; }

 private:
  TelemetrySampler& sampler_;
  bool has_seen_any_ = false;
};

}  // namespace kgrade
