// Estimates of a centre and their confidence intervals. `confidence` lies strictly between 0 and 1. Values
// are finite: the caller keeps NaN and infinity out, and std::invalid_argument is thrown for
// them here. The order of the values does not matter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/distributions.h"
#include "record/speed.h"

namespace kgrade {

// Median of the Walsh averages (v_i + v_j) / 2, i <= j; 0 when there are no values. Time O(n log n), memory
// O(n). (J. Hodges and E. Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
// Statistics 34, 1963.)
double hodges_lehmann(std::vector<double> values);

// For the centre of symmetry: all centres that the two-sided Wilcoxon signed-rank test does not refuse, which
// end at two of the Walsh averages (J. Tukey 1949; M. Hollander, D. Wolfe and E. Chicken, "Nonparametric
// Statistical Methods", 3rd edition, section 3.3). Nothing where so few values allow no such confidence:
// below `fewest_for_interval`. Equal values are allowed and widen its true confidence.
std::optional<Interval> wilcoxon_interval(std::vector<double> values, double confidence = 0.95);
inline constexpr std::size_t fewest_for_interval = 6;  // at 95 %

// For the mean of independent, about normal values (Student 1908). Nothing below 2 values.
std::optional<Interval> student_interval(const std::vector<double>& values, double confidence = 0.95);

// For a probability, from how often it came true; never below its confidence (C. Clopper and E. Pearson,
// Biometrika 26, 1934). No trials say nothing: [0, 1]. successes <= trials.
Interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double confidence = 0.95);

}  // namespace kgrade
