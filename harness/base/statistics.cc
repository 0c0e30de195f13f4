#include "base/statistics.h"

#include <algorithm>
#include <cmath>

namespace kgrade {

double quantile(std::vector<double> samples, double p) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double position = p * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (position - static_cast<double>(below)) * (samples[above] - samples[below]);
}

Summary summarise(const std::vector<double>& samples) {
  return {samples.size(), quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75),
          quantile(samples, 0)};
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace kgrade
