// The means of all pairs of values, including each with itself: n (n + 1) / 2 of them, sorted.
#pragma once

#include <algorithm>
#include <vector>

namespace kgrade {

inline std::vector<double> all_walsh_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

}  // namespace kgrade
