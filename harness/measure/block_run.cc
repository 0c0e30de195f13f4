#include "measure/block_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "measure/process_offset.h"
#include "measure/schedule.h"
#include "measure/speed_ratio.h"

namespace kgrade {
namespace {

double mean_log(const std::array<Sample, 2>& samples) {
  return (std::log(samples[0].counted_ms()) + std::log(samples[1].counted_ms())) / 2;
}

class Runner {
 public:
  Runner(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock)
      : plan_(plan), player_(player), watch_(watch), clock_(clock), start_(clock.now()) {}

  BlockRun run() {
    while (play_block()) {
      const bool spent = is_time_over();
      const bool look = spent || run_.blocks.size() >= blocks_between_looks;
      if (look && is_disturbed()) return end(BlockEnd::disturbed);
      if (is_precise()) return end(BlockEnd::precise);
      if (spent) return end(BlockEnd::budget_spent);
    }
    return end(BlockEnd::broken_off);
  }

 private:
  bool play_block() {
    Block block;
    block.samples.resize(plan_.arms);
    const auto number = static_cast<std::uint32_t>(run_.blocks.size());
    watch_.begin_block();
    for (int round = 0; round < 2; ++round) {
      const std::vector<std::size_t> order = arm_order(plan_.seed, number, round, plan_.arms);
      const auto samples = player_.play_round(order);
      if (!samples) return false;
      if (round == 0) block.order = order;
      for (std::size_t arm = 0; arm < plan_.arms; ++arm) {
        block.samples[arm][static_cast<std::size_t>(round)] = (*samples)[arm];
      }
    }
    block.voided = watch_.end_block();
    (block.voided.empty() ? counted_ : void_) += 1;
    run_.blocks.push_back(std::move(block));
    return true;
  }

  bool is_time_over() const {
    const double seconds = clock_.now() - start_;
    const double budget = plan_.goal.budget_seconds;
    return seconds >= (counted_ < plan_.goal.fewest_blocks ? patience_for_blocks * budget : budget);
  }

  bool is_disturbed() const { return counted_ == 0 || void_ > void_blocks_allowed(run_.blocks.size()); }

  bool is_precise() const {
    const bool look = run_.blocks.back().voided.empty() && counted_ >= plan_.goal.first_look &&
                      counted_ % blocks_between_looks == 0;
    return look && std::all_of(plan_.pairs.begin(), plan_.pairs.end(), [this](const ArmPair& pair) {
             const SpeedRatio ratio = ratio_within(log_differences(run_.blocks, pair.other, pair.arm));
             return ratio.half_width().value_or(1) <= half_width_wanted(pair);
           });
  }

  // The reported interval holds the processes' offsets as well.
  double half_width_wanted(const ArmPair& pair) const {
    if (plan_.offset_ms <= 0) return plan_.goal.half_width;
    const double one = quantile(times_of(run_.blocks, pair.arm), 0.5);
    const double other = quantile(times_of(run_.blocks, pair.other), 0.5);
    return half_width_within(plan_.goal, offset_of_log_ratio(plan_.offset_ms, one, other));
  }

  BlockRun end(BlockEnd end) {
    run_.end = end;
    if (end == BlockEnd::disturbed) {
      const auto first = std::find_if(run_.blocks.begin(), run_.blocks.end(),
                                      [](const Block& block) { return !block.voided.empty(); });
      run_.disturbance =
          fmt::format("{} of {} blocks do not count: {}", void_, run_.blocks.size(), first->voided);
    }
    return std::move(run_);
  }

  const BlockPlan& plan_;
  RoundPlayer& player_;
  BlockWatch& watch_;
  const Clock& clock_;
  double start_;
  BlockRun run_;
  std::size_t counted_ = 0;
  std::size_t void_ = 0;
};

}  // namespace

std::size_t void_blocks_allowed(std::size_t blocks) {
  return static_cast<std::size_t>(std::max(1.0, std::floor(most_void * static_cast<double>(blocks))));
}

std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm, std::size_t other) {
  std::vector<double> differences;
  for (const Block& block : blocks) {
    if (block.voided.empty())
      differences.push_back(mean_log(block.samples[arm]) - mean_log(block.samples[other]));
  }
  return differences;
}

BlockRun run_blocks(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock) {
  return Runner(plan, player, watch, clock).run();
}

}  // namespace kgrade
