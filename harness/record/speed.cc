#include "record/speed.h"

#include <cmath>

namespace kgrade {
Statement statement_of(const std::optional<Interval>& ratio_interval, double margin) {
  if (!ratio_interval) return Statement::inconclusive;
  const double bound = 1 + margin;
  const double lowest = ratio_interval->low;
  const double highest = ratio_interval->high;
  if (lowest > bound) return Statement::faster;
  if (1 / highest > bound) return Statement::slower;
  return highest <= bound && 1 / lowest <= bound ? Statement::same : Statement::inconclusive;
}

std::optional<double> SpeedRatio::half_width() const {
  if (!interval) return std::nullopt;
  return std::sqrt(interval->high / interval->low) - 1;
}

std::vector<double> times_of(std::span<const Block> blocks, std::size_t arm) {
  std::vector<double> times;
  for (const Block& block : blocks) {
    if (!block.voided.empty()) continue;
    for (const Sample& sample : block.samples[arm]) times.push_back(sample.counted_ms());
  }
  return times;
}

}  // namespace kgrade
