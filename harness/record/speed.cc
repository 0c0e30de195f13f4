#include "record/speed.h"

#include <array>
#include <cmath>

namespace kgrade {
namespace {

constexpr std::array<std::string_view, 4> statement_names = {"faster", "slower", "same", "inconclusive"};
constexpr std::array<std::string_view, 3> method_names = {"within_process", "pooled_processes",
                                                          "across_processes"};

}  // namespace

std::string_view to_string(Statement statement) {
  return statement_names[static_cast<std::size_t>(statement)];
}

std::string_view to_string(Method method) { return method_names[static_cast<std::size_t>(method)]; }

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

std::string_view to_string(Effort effort) {
  constexpr std::string_view words[] = {"quick", "normal", "ranked"};
  return words[static_cast<int>(effort)];
}

std::string_view to_string(WantedBaselines wanted) {
  constexpr std::string_view words[] = {"none", "usual", "pytorch", "compiled"};
  return words[static_cast<int>(wanted)];
}

std::string_view to_string(BlockEnd end) {
  constexpr std::string_view words[] = {"precise", "budget_spent", "disturbed", "broken_off"};
  return words[static_cast<int>(end)];
}

std::string_view to_string(BoundBy bound) { return bound == BoundBy::memory ? "memory" : "arithmetic"; }

std::vector<double> times_of(std::span<const Block> blocks, std::size_t arm) {
  std::vector<double> times;
  for (const Block& block : blocks) {
    if (!block.voided.empty()) continue;
    for (const Sample& sample : block.samples[arm]) times.push_back(sample.counted_ms());
  }
  return times;
}

}  // namespace kgrade
