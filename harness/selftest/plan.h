// Which comparisons are made, in which order, and how long the rest of them takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kgrade::selftest {

// How much more the second side gets to do.
inline constexpr std::array<double, 3> slow_downs = {0.01, 0.02, 0.05};

struct PlannedComparison {
  std::size_t kernel = 0;
  double added = 0;  // 0: the same on both sides

  bool operator==(const PlannedComparison&) const = default;
};

// So many comparisons of a kernel with itself and so many with a slow-down, spread evenly over kernels and
// slow-downs, all in one order that the seed draws.
std::vector<PlannedComparison> plan_comparisons(std::size_t kernels, std::size_t same, std::size_t slowed,
                                                std::uint64_t seed);

// A seed of its own for each of them.
std::uint64_t seed_of_comparison(std::uint64_t seed, std::size_t number);

// What is left to do, by what has been done.
class Forecast {
 public:
  // What a comparison of each kernel is expected to take.
  explicit Forecast(std::vector<double> seconds) : expected_(std::move(seconds)), took_(expected_.size()) {}

  void took(std::size_t kernel, double seconds);
  double seconds_for(std::span<const PlannedComparison> rest) const;

 private:
  struct Taken {
    double seconds = 0;
    int count = 0;
  };
  std::vector<double> expected_;
  std::vector<Taken> took_;
};

}  // namespace kgrade::selftest
