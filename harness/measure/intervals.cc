#include "measure/intervals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace kgrade {
namespace {

// Maps doubles to unsigned numbers in the same order, so that neighbours differ by one (IEEE 754-2019, 3.4;
// -0 before +0).
std::uint64_t order_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double value_at(std::uint64_t order) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((order & sign) != 0 ? order & ~sign : ~order);
}

// For inverses that have to be right to the last bit: the least double in [low, high] for which `holds` is
// true, or `high` if there is none. `holds` must be false below some point and true from there on. It is
// called at most 64 times. low <= high, both finite.
template <class Predicate>
double least_double(double low, double high, const Predicate& holds) {
  std::uint64_t first = order_of(low);
  std::uint64_t last = order_of(high);
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (holds(value_at(middle))) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return value_at(last) + 0.0;  // -0 becomes +0
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void require_probability(double p) { require(p > 0 && p < 1, "a quantile's p lies between 0 and 1"); }

// Coefficient d_i of DLMF 8.17.22 (8.17.23).
double fraction_coefficient(double x, double a, double b, int i) {
  const int pairs = i / 2;
  const double m = pairs;
  if (i % 2 == 0) return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
  return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

// 1 / (1 + d_1 / (1 + d_2 / (1 + ...))) from the front (the modified method of W. Lentz; I. Thompson and
// A. Barnett, Journal of Computational Physics 64, 1986). It converges fast for x < (a + 1) / (a + b + 2).
double continued_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;  // in place of a zero denominator
  constexpr int most_terms = 10'000'000;
  const auto nonzero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double numerator = 1;
  double inverse_denominator = 0;
  double value = 1;
  for (int i = 1; i < most_terms; ++i) {
    const double coefficient = fraction_coefficient(x, a, b, i);
    numerator = nonzero(1 + coefficient / numerator);
    inverse_denominator = 1 / nonzero(1 + coefficient * inverse_denominator);
    const double step = numerator * inverse_denominator;
    value *= step;
    if (std::fabs(step - 1) < 4 * std::numeric_limits<double>::epsilon()) return 1 / value;
  }
  throw std::invalid_argument("the incomplete beta function does not converge for these shapes");
}

// I_x(a, b) with y = 1 - x, by the fraction, for x below the mean or a little above.
double lower_part(double x, double y, double a, double b) {
  const double log_front =
      a * std::log(x) + b * std::log(y) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(log_front) / a * continued_fraction(x, a, b);
}

// P(T = t) for t up to the mean: each rank r joins the sum with probability 1/2, so the distribution over the
// first r ranks is half of the previous distribution plus half of that distribution shifted by r.
std::vector<double> lower_half(std::size_t count) {
  const std::size_t size = static_cast<std::size_t>(walsh_count(count)) / 2 + 1;
  std::vector<double> probability(size, 0.0);
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t t = size; t-- > rank;) probability[t] = (probability[t] + probability[t - rank]) / 2;
    for (std::size_t t = rank < size ? rank : size; t-- > 0;) probability[t] /= 2;
  }
  return probability;
}

std::optional<std::uint64_t> exact_critical_value(std::size_t count, double tail) {
  std::optional<std::uint64_t> critical;
  double cumulative = 0;
  std::uint64_t t = 0;
  for (const double probability : lower_half(count)) {
    cumulative += probability;
    if (cumulative > tail) break;
    critical = t++;
  }
  return critical;
}

// P(T <= k) is about the normal distribution's probability up to k + 1/2, with T's mean n (n + 1) / 4 and
// variance n (n + 1) (2 n + 1) / 24.
std::optional<std::uint64_t> approximate_critical_value(std::size_t count, double tail) {
  const auto n = static_cast<double>(count);
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const double critical = std::floor(mean - 0.5 + normal_quantile(tail) * deviation);
  if (critical < 0) return std::nullopt;
  return static_cast<std::uint64_t>(critical);
}

// How many Walsh averages are at most x. As i grows, fewer partners keep the average at most x.
std::uint64_t walsh_averages_up_to(const std::vector<double>& sorted, double x) {
  std::uint64_t found = 0;
  std::size_t end = sorted.size();
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && (sorted[i] + sorted[end - 1]) / 2 > x) --end;
    found += end - i;
  }
  return found;
}

void require_finite(const std::vector<double>& values) {
  const auto finite = [](double value) { return std::isfinite(value); };
  require(std::all_of(values.begin(), values.end(), finite), "a sample is not a finite number");
}

// The probability beyond the interval on each side.
double tail_of(double confidence) {
  require(confidence > 0 && confidence < 1, "a confidence lies between 0 and 1");
  return (1 - confidence) / 2;
}

}  // namespace

double beta_probability(double x, double a, double b) {
  require(a > 0 && b > 0, "a beta distribution's shapes are positive");
  require(x >= 0 && x <= 1, "a beta distribution lies between 0 and 1");
  if (x == 0 || x == 1) return x;
  const bool below = x <= (a + 1) / (a + b + 2);
  return below ? lower_part(x, 1 - x, a, b) : 1 - lower_part(1 - x, x, b, a);
}

double beta_quantile(double p, double a, double b) {
  require_probability(p);
  require(a > 0 && b > 0, "a beta distribution's shapes are positive");
  return least_double(0, 1, [&](double x) { return beta_probability(x, a, b) >= p; });
}

double normal_quantile(double p) {
  require_probability(p);
  if (p == 0.5) return 0;
  if (p > 0.5) return -normal_quantile(1 - p);
  constexpr double beyond = 40;  // every double's probability lies inside
  return least_double(-beyond, 0, [p](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2 >= p; });
}

// P(T > t) = I_x(v / 2, 1 / 2) / 2 with x = v / (v + t^2) (DLMF 8.17, M. Abramowitz and I. Stegun 26.7.1).
// Near the centre x rounds to 1, so the complement 1 - x is used there.
double student_quantile(double p, double degrees_of_freedom) {
  require_probability(p);
  require(degrees_of_freedom > 0, "Student's t has more than 0 degrees of freedom");
  if (p == 0.5) return 0;
  if (p < 0.5) return -student_quantile(1 - p, degrees_of_freedom);
  const double half = degrees_of_freedom / 2;
  const double both_tails = 2 * (1 - p);
  if (both_tails < 0.5) {
    const double x = beta_quantile(both_tails, half, 0.5);
    return std::sqrt(degrees_of_freedom * (1 - x) / x);
  }
  const double rest = beta_quantile(1 - both_tails, 0.5, half);
  return std::sqrt(degrees_of_freedom * rest / (1 - rest));
}

std::uint64_t walsh_count(std::size_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  return n * (n + 1) / 2;
}

// Keeps its results: a run needs the values for a few counts again and again, whenever it looks at its
// intervals.
std::optional<std::uint64_t> signed_rank_critical_value(std::size_t count, double tail) {
  static thread_local std::map<std::pair<std::size_t, double>, std::optional<std::uint64_t>> known;
  const auto [place, is_new] = known.try_emplace({count, tail});
  if (is_new)
    place->second = count <= signed_rank_exact_limit ? exact_critical_value(count, tail)
                                                     : approximate_critical_value(count, tail);
  return place->second;
}

// Rounding keeps the order of the averages, so the least double that `rank` averages do not exceed is itself
// an average.
double walsh_average(const std::vector<double>& sorted, std::uint64_t rank) {
  return least_double(sorted.front(), sorted.back(),
                      [&](double x) { return walsh_averages_up_to(sorted, x) >= rank; });
}

double hodges_lehmann(std::vector<double> values) {
  require_finite(values);
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::uint64_t count = walsh_count(values.size());
  const double upper = walsh_average(values, count / 2 + 1);
  return count % 2 == 1 ? upper : (walsh_average(values, count / 2) + upper) / 2;
}

std::optional<Interval> wilcoxon_interval(std::vector<double> values, double confidence) {
  require_finite(values);
  const auto critical = signed_rank_critical_value(values.size(), tail_of(confidence));
  if (!critical) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::uint64_t count = walsh_count(values.size());
  return Interval{walsh_average(values, *critical + 1), walsh_average(values, count - *critical)};
}

std::optional<Interval> student_interval(const std::vector<double>& values, double confidence) {
  require_finite(values);
  const double tail = tail_of(confidence);
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double standard_error = std::sqrt(squares / (count - 1) / count);
  const double half_width = student_quantile(1 - tail, count - 1) * standard_error;
  return Interval{mean - half_width, mean + half_width};
}

Interval binomial_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  require(successes <= trials, "more successes than trials");
  const double tail = tail_of(confidence);
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  const double low = hits == 0 ? 0 : beta_quantile(tail, hits, misses + 1);
  const double high = misses == 0 ? 1 : 1 - beta_quantile(tail, misses, hits + 1);
  return {low, high};
}

}  // namespace kgrade
