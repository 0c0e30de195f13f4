// How much is measured, and who goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kgrade {

enum class Effort { quick, normal, ranked };
std::string_view to_string(Effort effort);  // "quick"

// Early looks end just those runs whose spread came out too small by chance: in simulations
// (harness/tests/measure) intervals miss in up to 6 % where the first look comes after 10 blocks, and in 5.0
// to 5.6 % after 30.
constexpr std::size_t usual_first_look = 30;
constexpr std::size_t quick_first_look = 10;

// Until when a case is measured.
struct MeasuringGoal {
  // Of the interval of every speed ratio, relative: 0.005 is half a percent.
  double half_width = 0.005;
  // Of one process; what has been measured by then is what there is.
  double budget_seconds = 0;
  // Fewer blocks than these have no interval (measure/intervals.h): a slow kernel is given several times
  // the budget for them (patience_for_blocks).
  std::size_t fewest_blocks = 0;
  // In how many processes of every contestant it is measured: in so many at least, and in up to
  // `most_processes` where it takes them (measure/process_offset.h).
  int processes = 1;
  int most_processes = 1;
  // After so many blocks the intervals are looked at for the first time.
  std::size_t first_look = usual_first_look;
};

// So many times the budget may be spent on MeasuringGoal::fewest_blocks.
constexpr double patience_for_blocks = 4;

MeasuringGoal goal_for(Effort effort);

// The order of so many arms in a round of a block. The first round (0) has them in an order drawn by the
// seed, the second one (1) has that order reversed: with two arms ABBA or BAAB. A drift of the clock favours
// nobody then.
std::vector<std::size_t> arm_order(std::uint64_t seed, std::uint32_t block, int round, std::size_t arms);

// How many launches make a sample that a device's clock resolves well enough, when the fastest arm's launch
// takes so long: 1 from `shortest_sample_ms` on, never more than `most`.
constexpr double shortest_sample_ms = 0.010;
int launches_per_sample(double fastest_ms, int most);

}  // namespace kgrade
