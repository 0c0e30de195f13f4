#include "measure/block_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/statistics.h"
#include "draw/philox.h"
#include "measure/intervals.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

constexpr std::uint32_t order_stream = 0x6f72646;  // a stream apart from those of tensors

// So few blocks that their interval is Student's know their own spread badly. They end a run only if they
// reach this share of the wanted half-width, because those whose spread came out too small by chance would
// end it.
constexpr double share_for_few = 0.8;

// The largest share of blocks that may be void. One void block is always allowed if others count.
constexpr double most_void = 0.1;

class Runner {
 public:
  Runner(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock)
      : plan_(plan), player_(player), watch_(watch), clock_(clock), start_(clock.now()) {}

  BlockRun run() {
    while (play_block()) {
      const double budget = plan_.goal.budget_seconds;
      const bool spent = clock_.now() - start_ >=
                         (counted_ < plan_.goal.fewest_blocks ? patience_for_blocks * budget : budget);
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

  bool is_disturbed() const {
    return counted_ == 0 ||
           void_ > static_cast<std::size_t>(
                       std::max(1.0, std::floor(most_void * static_cast<double>(run_.blocks.size()))));
  }

  bool is_precise() const {
    const bool look = run_.blocks.back().voided.empty() && counted_ >= plan_.goal.first_look;
    return look && !is_disturbed() && is_precise_where(true) && is_precise_where(false);
  }

  // Whether the blocks that are captured, or those that are not, are precise. True if there are none.
  bool is_precise_where(bool captured) const {
    std::vector<Block> blocks;
    std::copy_if(run_.blocks.begin(), run_.blocks.end(), std::back_inserter(blocks),
                 [captured](const Block& block) { return block.is_captured() == captured; });
    if (blocks.empty()) return true;
    const bool are_few = blocks.size() < fewest_for_wilcoxon;
    if (!are_few && counted_ % blocks_between_looks != 0) return false;
    // All blocks together reach the wanted half-width if their halves reach sqrt(2) times that.
    const double share = (are_few ? share_for_few : 1) * std::sqrt(static_cast<double>(run_.blocks.size()) /
                                                                   static_cast<double>(blocks.size()));
    return std::all_of(plan_.pairs.begin(), plan_.pairs.end(), [&](const ArmPair& pair) {
      if (!player_.plays(pair.arm)) return true;
      const SpeedRatio ratio = ratio_within(log_differences(blocks, pair.other, pair.arm));
      return ratio.half_width().value_or(1) <= share * half_width_wanted(pair);
    });
  }

  // The reported interval includes the processes' offsets.
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

MeasuringGoal goal_for(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {.half_width = 0.01, .budget_seconds = 0.4, .first_look = fewest_for_interval};
    case Effort::ranked:
      return {.half_width = 0.0025,
              .budget_seconds = 6,
              .fewest_blocks = fewest_for_wilcoxon,
              .processes = 5,
              .most_processes = 5};
    case Effort::normal:
      break;
  }
  return {
      .half_width = 0.005, .budget_seconds = 3, .fewest_blocks = fewest_for_wilcoxon, .most_processes = 4};
}

// Fisher-Yates.
std::vector<std::size_t> arm_order(std::uint64_t seed, std::uint32_t block, int round, std::size_t arms) {
  std::vector<std::size_t> order(arms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = arms; left > 1; --left) {
    const PhiloxBlock random = random_block({seed, order_stream, block}, left);
    std::swap(order[left - 1], order[random.word[0] % left]);
  }
  if (round == 1) std::reverse(order.begin(), order.end());
  return order;
}

int launches_per_sample(double fastest_ms, int most) {
  if (fastest_ms <= 0 || fastest_ms >= shortest_sample_ms) return 1;
  return std::min(most, static_cast<int>(std::ceil(shortest_sample_ms / fastest_ms)));
}

BlockRun run_blocks(const BlockPlan& plan, RoundPlayer& player, BlockWatch& watch, const Clock& clock) {
  return Runner(plan, player, watch, clock).run();
}

std::string voiding_words(std::uint64_t reasons) {
  std::vector<const char*> parts;
  if ((reasons & (clock_event::sw_thermal | clock_event::hw_thermal)) != 0)
    parts.push_back("thermal slowdown");
  if ((reasons & clock_event::hw_power_brake) != 0) parts.push_back("the power brake");
  // A slowdown of the hardware is named only if it has no cause that we could name instead.
  if (parts.empty() && (reasons & clock_event::hw_slowdown) != 0) parts.push_back("hardware slowdown");
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string TelemetryWatch::end_block() {
  const BlockTelemetry block = sampler_.end_block();
  // A block whose readings all lack the reasons has no known reason: it counts, unwatched.
  has_seen_any_ = has_seen_any_ || block.known;
  return voiding_words(block.reasons);
}

}  // namespace kgrade
