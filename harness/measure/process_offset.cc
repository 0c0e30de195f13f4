#include "measure/process_offset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/distributions.h"

namespace kgrade {
namespace {

constexpr std::string_view measured_on = "NVIDIA H200";

}  // namespace

std::optional<std::string> borrowed_offset_note(const DeviceInfo& device) {
  if (device.process_offset_ms <= 0 || device.name.starts_with(measured_on)) return std::nullopt;
  return fmt::format(
      "intervals of this GPU take each process to add a constant of {:.2f} us to its launches, as measured "
      "on "
      "an {}; `kgrade selftest --fresh` shows whether it sees differences between equal short kernels",
      1e3 * device.process_offset_ms, measured_on);
}

double offset_of_log_ratio(double offset, double one, double other) {
  return offset * std::hypot(1 / one, 1 / other);
}

int processes_wanted(const MeasuringGoal& goal, double offset_log) {
  const double of_one = normal_quantile(0.975) * offset_log / goal.half_width;
  const double needed = of_one * of_one / most_of_offset;
  const double wanted = std::ceil(std::min(needed, static_cast<double>(goal.most_processes)));
  return std::clamp(static_cast<int>(wanted), goal.processes, std::max(goal.processes, goal.most_processes));
}

double half_width_within(const MeasuringGoal& goal, double offset_log) {
  const double of_offset = normal_quantile(0.975) * offset_log;
  const double left =
      processes_wanted(goal, offset_log) * goal.half_width * goal.half_width - of_offset * of_offset;
  const double least = (1 - most_of_offset) * goal.half_width * goal.half_width;
  return left >= least ? std::min(goal.half_width, std::sqrt(left)) : goal.half_width;
}

}  // namespace kgrade
