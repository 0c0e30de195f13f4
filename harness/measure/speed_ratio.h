// What the samples say about two contestants: a ratio of speeds, its interval and one word.
//
// A log difference is, for one block, the mean log of the opponent's times less the mean log of the
// candidate's: exp of it is above 1 where the candidate is faster, and exchanging the two sides inverts it.
// Logarithms are natural; values are finite (std::invalid_argument otherwise). Intervals have 95 %
// confidence.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "measure/intervals.h"
#include "record/speed.h"

namespace kgrade {

// From the blocks of one process: Hodges and Lehmann's estimate with Wilcoxon's interval. It holds for this
// process only: what differs from one process to the next (addresses, clocks, temperature) is not in it.
// The interval is exact where each block's order was chosen by a fair coin (ABBA or BAAB), whatever the
// drift or the states of the clock, as long as that disturbs both sides alike: given the disturbance, the
// coin alone makes the sign of a block's error. A run that is stopped by the half-width, looked at every ten
// blocks, keeps between 94 % and 95 % (simulated; a later first look costs less).
SpeedRatio ratio_within(const std::vector<double>& log_differences);

// One call of a contestant in so many may have any time without moving that estimate by more than the noise
// of the others does, where there are many: with two calls a block that is at most a quarter of the blocks,
// and 29 % of them (1 - 1 / sqrt(2)) still leave half of the pairs, whose means' median it is, without one.
inline constexpr std::size_t calls_per_outlier = 8;

// From what ratio_within() says of a few processes (one to four), each moved on the log scale by an offset of
// its own, of which the standard deviation is known (measure/process_offset.h). The mean of their estimates;
// the interval is that of the mean, its two sides wide as the root of the sum of squares of the processes'
// own and of the offsets' 95 %. Where the processes differ by more than all that explains (chi-square, 1 %),
// or one has no interval, it is ratio_across() that answers.
SpeedRatio ratio_pooled(const std::vector<SpeedRatio>& processes, double offset_log);

// From one estimate per process, each the log of its ratio_within(): their mean with Student's interval.
SpeedRatio ratio_across(const std::vector<double>& process_estimates_log);

}  // namespace kgrade
