#include "measure/schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/philox.h"
#include "measure/intervals.h"

namespace kgrade {
namespace {

constexpr std::uint32_t order_stream = 0x6f72646;  // apart from every tensor's

}  // namespace

MeasuringGoal goal_for(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {0.01, 0.4, 0, 1, 1, quick_first_look};
    case Effort::ranked:
      return {0.0025, 6, fewest_for_interval, 5, 5};
    case Effort::normal:
      break;
  }
  return {0.005, 3, fewest_for_interval, 1, 4};
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

}  // namespace kgrade
