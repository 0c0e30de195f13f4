// Which blocks do not count because the GPU slowed itself down, when there are too many of them, and whether
// a power limit has met both sides alike. The rules are those of the measuring protocol; all but
// TelemetryWatch is arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/block_run.h"
#include "measure/telemetry.h"

namespace kgrade {

// The reasons among these for which a block is void: slowdown by the hardware, by heat (in hardware or in
// software) and by the power brake. A software power cap is a limit that a kernel reaches by its own work, an
// idle GPU and clocks that somebody has set are no disturbance: the block counts.
std::uint64_t voiding_reasons(std::uint64_t reasons);

// "thermal slowdown", "the power brake", "hardware slowdown", joined by "and"; empty when none of them voids.
// The hardware's slowdown goes unnamed beside its cause.
std::string voiding_words(std::uint64_t reasons);

// Counts blocks as they end.
class VoidedBlocks {
 public:
  // Whether this one is void.
  bool add(const BlockTelemetry& block);

  std::size_t blocks() const { return blocks_; }
  std::size_t voided() const { return voided_; }
  // Of which no reading knew the reasons: they count, unwatched.
  std::size_t unwatched() const { return unwatched_; }

 private:
  std::size_t blocks_ = 0;
  std::size_t voided_ = 0;
  std::size_t unwatched_ = 0;
};

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
  bool has_seen_any() const override { return count_.unwatched() < count_.blocks(); }
  const VoidedBlocks& count() const { return count_; }

 private:
  TelemetrySampler& sampler_;
  VoidedBlocks count_;
};

}  // namespace kgrade
