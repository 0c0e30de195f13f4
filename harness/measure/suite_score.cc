#include "measure/suite_score.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace kgrade {
namespace {

std::optional<Interval> score_interval(const std::vector<SpeedRatio>& ratios, double centre) {
  if (ratios.empty()) return std::nullopt;
  double squares = 0;
  for (const SpeedRatio& ratio : ratios) {
    if (!ratio.interval) return std::nullopt;
    const double half_width = std::log(ratio.interval->high / ratio.interval->low) / 2;
    squares += half_width * half_width;
  }
  const double factor = std::exp(std::sqrt(squares) / static_cast<double>(ratios.size()));
  return Interval{centre / factor, centre * factor};
}

}  // namespace

SuiteScore suite_score(const std::vector<SpeedRatio>& ratios) {
  std::vector<double> values;
  values.reserve(ratios.size());
  for (const SpeedRatio& ratio : ratios) values.push_back(ratio.ratio);
  const double centre = geometric_mean(values);
  return {centre, score_interval(ratios, centre), ratios.size()};
}

double fast_p(const std::vector<std::optional<double>>& speedups, double p) {
  if (speedups.empty()) return 0;
  const auto fast = [p](const std::optional<double>& speedup) { return speedup && *speedup > p; };
  return static_cast<double>(std::count_if(speedups.begin(), speedups.end(), fast)) /
         static_cast<double>(speedups.size());
}

}  // namespace kgrade
