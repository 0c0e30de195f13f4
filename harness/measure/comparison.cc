#include "measure/comparison.h"

#include <array>
#include <cmath>

namespace kgrade {
namespace {

constexpr std::array<std::string_view, 4> statement_names = {"faster", "slower", "same", "inconclusive"};
constexpr std::array<std::string_view, 2> method_names = {"within_process", "across_processes"};

std::optional<Interval> ratios_from(const std::optional<Interval>& logs) {
  if (!logs) return std::nullopt;
  return Interval{std::exp(logs->low), std::exp(logs->high)};
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

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

SpeedRatio ratio_within(const std::vector<double>& log_differences) {
  return {std::exp(hodges_lehmann(log_differences)), ratios_from(wilcoxon_interval(log_differences)),
          Method::within_process, log_differences.size()};
}

SpeedRatio ratio_across(const std::vector<double>& process_estimates_log) {
  return {std::exp(mean(process_estimates_log)), ratios_from(student_interval(process_estimates_log)),
          Method::across_processes, process_estimates_log.size()};
}

}  // namespace kgrade
