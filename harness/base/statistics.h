// Summaries of samples. Times are in milliseconds.
#pragma once

#include <cstddef>
#include <vector>

namespace kgrade {

struct Summary {
  std::size_t count = 0;
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
  double minimum = 0;
};

// Quantile `p` in [0, 1] by linear interpolation between order statistics (type 7 of R. Hyndman and Y. Fan,
// "Sample Quantiles in Statistical Packages", The American Statistician 50, 1996); 0 when there are no
// samples.
double quantile(std::vector<double> samples, double p);

Summary summarise(const std::vector<double>& samples);

// Geometric mean of positive values; 0 when there are none.
double geometric_mean(const std::vector<double>& values);

}  // namespace kgrade
