// Measures a case in blocks of calls, until the comparison is precise enough or the time is spent. A block is
// two rounds. Each round calls every arm (a contestant whose speed is compared) once, and the second round
// has the reverse order: with two arms, the four calls are ABBA or BAAB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/telemetry.h"
#include "record/speed.h"

namespace kgrade {

// The budget may be spent this many times on MeasuringGoal::fewest_blocks.
constexpr double patience_for_blocks = 4;

MeasuringGoal goal_for(Effort effort);

// The order of the arms in a round of a block. The seed draws the order of the first round (0), and the
// second round (1) has the reverse order: with two arms ABBA or BAAB. So a drift of the clock favours no arm.
std::vector<std::size_t> arm_order(std::uint64_t seed, std::uint32_t block, int round, std::size_t arms);

// How many launches make a sample that a device's clock resolves well enough, if the fastest arm's launch
// takes `fastest_ms`. It is 1 from `shortest_sample_ms` on, and never more than `most`.
constexpr double shortest_sample_ms = 0.010;
int launches_per_sample(double fastest_ms, int most);

// Two arms that are compared.
struct ArmPair {
  std::size_t arm = 0;
  std::size_t other = 0;
};

struct BlockPlan {
  std::size_t arms = 2;
  std::vector<ArmPair> pairs;
  MeasuringGoal goal = {.half_width = 0.005, .budget_seconds = 1};
  double offset_ms = 0;    // what a process adds to its launches (measure/speedup.h)
  std::uint64_t seed = 0;  // of the order of arms
};

// Calls the arms.
class RoundPlayer {
 public:
  virtual ~RoundPlayer() = default;
  // Calls every arm once, in this order, and returns the samples by arm. Nothing if the run has to end.
  virtual std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) = 0;
  // False for an arm that has left: its samples mean nothing, and the run does not wait for more of them.
  virtual bool plays(std::size_t /*arm*/) const { return true; }
};

// Says what disturbed a block.
class BlockWatch {
 public:
  virtual ~BlockWatch() = default;
  virtual void begin_block() {}
  // Why the block does not count; empty if it does.
  virtual std::string end_block() { return {}; }
  // Whether it could judge any block.
  virtual bool has_seen_any() const { return false; }
};

struct BlockRun {
  std::vector<Block> blocks;
  BlockEnd end = BlockEnd::broken_off;
  std::string disturbance;  // of a disturbed run: how many blocks, and why the first of them
};

// Intervals are looked at from MeasuringGoal::first_look blocks that count on: after each of the first five
// blocks, which give Student's intervals (measure/speedup.h) and have to reach four fifths of the
// half-width, and then every blocks_between_looks blocks. If outputs are captured in one of every two blocks,
// only one half counts in the end. Then the captured and the other blocks are looked at apart, and both
// halves need an interval that is at most about sqrt(2) times as wide as that of all blocks. Nothing else
// ends a run early: stopping when a difference seems significant would make too many differences seem
// significant.
constexpr std::size_t blocks_between_looks = 10;
BlockRun run_blocks(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock);

// The clock event reasons (measure/telemetry.h) that void a block: "thermal slowdown" (in hardware or in
// software), "the power brake", "hardware slowdown" (only without its cause), joined by "and". Empty if the
// block counts. A software power cap is a limit that a kernel reaches by its own work; an idle GPU and clocks
// that a user has set do not disturb a block.
std::string voiding_words(std::uint64_t reasons);

// Watches blocks by telemetry: blocks in which the GPU slowed itself down are void. Does not own the sampler.
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
