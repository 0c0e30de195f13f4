// The statistics that an interval rests on: quantiles of distributions, the signed-rank statistic, and
// estimates of a centre with their confidence intervals. measure/speedup.h makes a speedup's interval from
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/speed.h"

namespace kgrade {

// Quantiles. `p` lies strictly between 0 and 1 everywhere. For parameters up to a million, errors are below
// 1e-9 of the quantile, or below 1e-15 if the quantile is nearly 0. A p or a parameter that the distribution
// does not have throws std::invalid_argument.

double normal_quantile(double p);

// Student's t with `degrees_of_freedom` > 0, which need not be whole.
double student_quantile(double p, double degrees_of_freedom);

// The beta distribution with shapes a, b > 0.
double beta_quantile(double p, double a, double b);

// The beta distribution's probability up to x in [0, 1]: the regularised incomplete beta function, by the
// continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions.
double beta_probability(double x, double a, double b);

// The Wilcoxon signed-rank statistic T and the Walsh averages that it counts (F. Wilcoxon, "Individual
// Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945).

// T's distribution is exact up to this many values; above, it is the normal approximation.
inline constexpr std::size_t signed_rank_exact_limit = 60;

// The greatest k for which P(T <= k) <= tail, if `count` values are symmetric about 0. Nothing if even P(T =
// 0) = 2^-count is more than that. 0 < tail <= 0.5.
std::optional<std::uint64_t> signed_rank_critical_value(std::size_t count, double tail);

// The number of Walsh averages (v_i + v_j) / 2, i <= j, of `count` values.
std::uint64_t walsh_count(std::size_t count);

// The Walsh average of 1-based `rank` in ascending order, exactly, in time linear in the number of values and
// without a copy of them. `sorted` is ascending and finite, 1 <= rank <= walsh_count(sorted.size()).
double walsh_average(const std::vector<double>& sorted, std::uint64_t rank);

// Estimates and intervals. `confidence` lies strictly between 0 and 1. Values must be finite: NaN and
// infinity throw std::invalid_argument. The order of the values does not matter.

// The confidence of all intervals in a record.
inline constexpr double confidence_level = 0.95;

// Median of the Walsh averages (v_i + v_j) / 2, i <= j; 0 if there are no values. Time O(n log n), memory
// O(n). (J. Hodges and E. Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
// Statistics 34, 1963.)
double hodges_lehmann(std::vector<double> values);

// An interval for the centre of symmetry: all centres that the two-sided Wilcoxon signed-rank test does not
// refuse. It ends at two of the Walsh averages (J. Tukey 1949; M. Hollander, D. Wolfe and E. Chicken,
// "Nonparametric Statistical Methods", 3rd edition, section 3.3). Nothing if there are too few values for
// this confidence: fewer than `fewest_for_wilcoxon`. Equal values are allowed and raise the true confidence.
std::optional<Interval> wilcoxon_interval(std::vector<double> values, double confidence = confidence_level);
inline constexpr std::size_t fewest_for_wilcoxon = 6;  // at confidence_level: 2 / 2^6 < 5 %

// An interval for the mean of independent, about normal values (Student 1908). Nothing for fewer than 2
// values.
std::optional<Interval> student_interval(const std::vector<double>& values,
                                         double confidence = confidence_level);

// An interval for a probability, from how often it came true. Its true confidence is never lower (C. Clopper
// and E. Pearson, Biometrika 26, 1934). Without trials it is [0, 1]. successes <= trials.
Interval binomial_interval(std::uint64_t successes, std::uint64_t trials,
                           double confidence = confidence_level);

}  // namespace kgrade
