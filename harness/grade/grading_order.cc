#include "grade/grading_order.h"

#include <numeric>
#include <random>
#include <utility>

namespace kgrade {

std::vector<std::size_t> grading_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The standard fixes what the generator yields, but not what std::shuffle makes of it.
  std::mt19937_64 generator(seed);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[generator() % left]);
  return order;
}

}  // namespace kgrade
