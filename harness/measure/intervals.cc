#include "measure/intervals.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "measure/signed_rank.h"

namespace kgrade {
namespace {

void require_finite(const std::vector<double>& values) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(values.begin(), values.end(), finite)) {
    throw std::invalid_argument("a sample is not a finite number");
  }
}

// What may lie outside on each side.
double tail_of(double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence lies between 0 and 1");
  return (1 - confidence) / 2;
}

}  // namespace

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
  if (successes > trials) throw std::invalid_argument("more successes than trials");
  const double tail = tail_of(confidence);
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  const double low = hits == 0 ? 0 : beta_quantile(tail, hits, misses + 1);
  const double high = misses == 0 ? 1 : 1 - beta_quantile(tail, misses, hits + 1);
  return {low, high};
}

}  // namespace kgrade
