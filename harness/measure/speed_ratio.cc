#include "measure/speed_ratio.h"

#include <array>
#include <cmath>

#include "measure/distributions.h"

namespace kgrade {
namespace {

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

double square(double value) { return value * value; }

std::vector<double> logs_of(const std::vector<SpeedRatio>& ratios) {
  std::vector<double> logs;
  for (const SpeedRatio& ratio : ratios) logs.push_back(std::log(ratio.ratio));
  return logs;
}

// Whether processes differ by no more than their offsets and their own intervals explain. One process does.
bool are_alike(const std::vector<SpeedRatio>& processes, const std::vector<double>& estimates,
               double offset_log) {
  // The 99 % quantiles of chi-square for one degree of freedom and more.
  constexpr std::array<double, 3> bounds = {6.635, 9.210, 11.345};
  if (processes.size() == 1) return true;
  if (processes.size() > bounds.size() + 1) return false;
  double explained = square(offset_log);
  double spread = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto half_width = processes[i].half_width();
    if (!half_width) return false;
    const double own = std::log1p(*half_width) / normal_quantile(0.975);
    explained += square(own) / static_cast<double>(processes.size());
    spread += square(estimates[i] - mean(estimates));
  }
  return spread <= bounds[processes.size() - 2] * explained;
}

}  // namespace

SpeedRatio ratio_within(const std::vector<double>& log_differences) {
  return {std::exp(hodges_lehmann(log_differences)), ratios_from(wilcoxon_interval(log_differences)),
          Method::within_process, log_differences.size()};
}

SpeedRatio ratio_pooled(const std::vector<SpeedRatio>& processes, double offset_log) {
  if (processes.empty()) return {};
  const std::vector<double> estimates = logs_of(processes);
  if (!are_alike(processes, estimates, offset_log)) return ratio_across(estimates);
  const auto number = static_cast<double>(processes.size());
  const double centre = mean(estimates);
  double below = square(normal_quantile(0.975) * offset_log) * number;
  double above = below;
  for (std::size_t i = 0; i < processes.size() && processes[i].interval; ++i) {
    below += square(estimates[i] - std::log(processes[i].interval->low));
    above += square(std::log(processes[i].interval->high) - estimates[i]);
  }
  SpeedRatio pooled = processes.front();
  if (processes.size() > 1) {
    pooled.method = Method::pooled_processes;
    pooled.count = processes.size();
  }
  pooled.ratio = std::exp(centre);
  if (pooled.interval) {
    pooled.interval =
        Interval{std::exp(centre - std::sqrt(below) / number), std::exp(centre + std::sqrt(above) / number)};
  }
  return pooled;
}

SpeedRatio ratio_across(const std::vector<double>& process_estimates_log) {
  return {std::exp(mean(process_estimates_log)), ratios_from(student_interval(process_estimates_log)),
          Method::across_processes, process_estimates_log.size()};
}

}  // namespace kgrade
