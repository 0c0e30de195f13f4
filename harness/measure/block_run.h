// Runs blocks of calls until the comparison is precise enough or the time is spent. A block is two rounds, in
// each of which every arm (a contestant whose speed is compared) is called once, in the second round in
// reverse order: four calls ABBA or BAAB where two are compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/schedule.h"
#include "record/speed.h"

namespace kgrade {

// Mean logarithm of one arm's times minus that of another's: exp() of it says how many times as fast the
// other one is. Of the blocks that count, in order.
std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm, std::size_t other);

// Two arms whose ratio is asked for.
struct ArmPair {
  std::size_t arm = 0;
  std::size_t other = 0;
};

struct BlockPlan {
  std::size_t arms = 2;
  std::vector<ArmPair> pairs;
  MeasuringGoal goal = {0.005, 1};
  double offset_ms = 0;    // what a process adds to its launches (measure/process_offset.h)
  std::uint64_t seed = 0;  // of the order of arms
};

// Calls the arms.
class RoundPlayer {
 public:
  virtual ~RoundPlayer() = default;
  // Calls every arm once, in this order; samples by arm. Nothing when the run has to end.
  virtual std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) = 0;
};

// Knows what disturbed a block.
class BlockWatch {
 public:
  virtual ~BlockWatch() = default;
  virtual void begin_block() {}
  // Why the block does not count; empty: it does.
  virtual std::string end_block() { return {}; }
  // Whether it knew how any block went.
  virtual bool has_seen_any() const { return false; }
};

struct BlockRun {
  std::vector<Block> blocks;
  BlockEnd end = BlockEnd::broken_off;
  std::string disturbance;  // of a disturbed run: how many blocks, and why the first of them
};

// Intervals are looked at after MeasuringGoal::first_look blocks that count, and then every so many, and
// nothing else ends a run early: stopping when a difference seems significant would make too many of them
// seem so.
constexpr std::size_t blocks_between_looks = 10;
// The largest share of blocks that may be void; one may be in any case, where others count.
constexpr double most_void = 0.1;
std::size_t void_blocks_allowed(std::size_t blocks);

BlockRun run_blocks(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock);

}  // namespace kgrade
