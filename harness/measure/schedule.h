// How much is measured, and who goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "record/speed.h"

namespace kgrade {

constexpr std::size_t quick_first_look = 10;

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
