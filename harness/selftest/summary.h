// From comparisons to what they come to, and to the criteria of a protocol that holds. All arithmetic.
#pragma once

#include "selftest/selftest_record.h"

namespace kgrade::selftest {

// Kernels that take less than so many empty ones are limited by launching.
inline constexpr double overhead_factor = 5;
// What the criteria ask for.
inline constexpr double most_false_calls = 0.01;
inline constexpr double least_excluded = 0.02;
inline constexpr double most_excluded = 0.08;
inline constexpr double slow_down_to_see = 0.02;
inline constexpr double shortest_to_see_ms = 0.020;
inline constexpr double least_seen = 0.90;
inline constexpr double least_measured = 0.90;
// With fewer trials a criterion can fail, but not hold.
inline constexpr std::uint64_t fewest_trials = 10;

// `fails` only where the whole interval lies beyond the bounds; `holds` where the share itself lies within
// and there are trials enough; `too_few` for the rest.
CriterionOutcome outcome_of(const Share& share, double lowest, double highest);

// The smallest difference between times that differ: the grain of the clock where times are many. Nothing
// when all are alike. Times differ by more than a float's rounding, 1e-7 ms below 1 ms; longer ones are
// passed over.
std::optional<double> grain_of(std::vector<double> times_ms);

// All that follows from the record's kernels, comparisons and floor.
void conclude(SelftestRecord& record);

}  // namespace kgrade::selftest
