#include "selftest/plan.h"

#include <utility>

#include "draw/philox.h"

namespace kgrade::selftest {
namespace {

// Apart from every tensor's and from the order of arms.
constexpr std::uint32_t order_stream = 0x73656c66;
constexpr std::uint32_t seeds_stream = 0x73656564;

}  // namespace

std::vector<PlannedComparison> plan_comparisons(std::size_t kernels, std::size_t same, std::size_t slowed,
                                                std::uint64_t seed) {
  std::vector<PlannedComparison> plan;
  if (kernels == 0) return plan;
  for (std::size_t i = 0; i < same; ++i) plan.push_back({i % kernels, 0});
  // Few comparisons still have all slow-downs among them.
  for (std::size_t i = 0; i < slowed; ++i) {
    const std::size_t kernel = i % kernels;
    plan.push_back({kernel, slow_downs[(i / kernels + kernel) % slow_downs.size()]});
  }
  for (std::size_t left = plan.size(); left > 1; --left) {
    const PhiloxBlock random = random_block({seed, order_stream, 0}, left);
    std::swap(plan[left - 1], plan[random.word[0] % left]);
  }
  return plan;
}

std::uint64_t seed_of_comparison(std::uint64_t seed, std::size_t number) {
  const PhiloxBlock random = random_block({seed, seeds_stream, 0}, number);
  return std::uint64_t{random.word[1]} << 32 | random.word[0];
}

void Forecast::took(std::size_t kernel, double seconds) {
  took_[kernel].seconds += seconds;
  took_[kernel].count += 1;
}

double Forecast::seconds_for(std::span<const PlannedComparison> rest) const {
  double seconds = 0;
  for (const PlannedComparison& planned : rest) {
    const Taken& taken = took_[planned.kernel];
    seconds += taken.count > 0 ? taken.seconds / taken.count : expected_[planned.kernel];
  }
  return seconds;
}

}  // namespace kgrade::selftest
