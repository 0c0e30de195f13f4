#include "selftest/kernel_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "grade/session.h"
#include "verify/checks.h"

namespace kgrade::selftest {
namespace {

constexpr int floor_calls = 200;
constexpr int floor_calls_without_speed = 3;
// The slope of a kernel is measured with as many calls as fit into this time.
constexpr double refining_ms = 500;
constexpr int fewest_calls = 5;
constexpr int most_calls = 40;
constexpr int guessing_calls = 3;
// A guess of the slope needs a run that takes longer than the shortest run by at least this part of the
// target.
constexpr double guessing_part = 0.125;
constexpr std::int64_t first_step = 64;
constexpr std::int64_t step_factor = 16;
constexpr std::int64_t longest = std::int64_t{1} << 40;
// The slope is measured between two points. The second point is this part of the target beyond the first.
constexpr double far_part = 0.5;
// If the time is within this part of the target, it is not corrected.
constexpr double near_enough = 0.02;
// Added to the least length if times do not measure speed. It is large enough that 1 % of it is a unit of
// work.
constexpr std::int64_t length_without_speed = 200;

// The mean of the middle half. It is as robust as a median, and finer than the grain of the clock.
double middle_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;
  double sum = 0;
  for (std::size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - 2 * cut);
}

std::int64_t units_for(double ms, double slope) {
  return slope > 0 ? static_cast<std::int64_t>(std::llround(std::max(0.0, ms) / slope)) : 0;
}

}  // namespace

// The outputs are checked later, when the kernels are compared.
Result<double> KernelCalibrator::call(Role role) {
  const CallReport report = arena_.call(role, {seed_, draws_++, 0, 1}, trusted_patience);
  if (const auto finding = review_call(report)) {
    return machine_error("a kernel of the self-test fails: " + finding->message,
                         "`kgrade doctor` says what this machine lacks");
  }
  return report.call.elapsed_ms;
}

Result<KernelCalibrator::TwoTimes> KernelCalibrator::time(const Kernel& kernel, const Sizes& sizes,
                                                          std::int64_t first, std::int64_t second,
                                                          int calls) {
  arena_.take_back();
  first_ = case_of(problem_, kernel, sizes, first);
  second_ = case_of(problem_, kernel, sizes, second);
  for (const Role role : {Role::reference, Role::candidate}) {
    const auto lent = arena_.lend(role, role == Role::reference ? first_ : second_, 1);
    if (!lent) return lent.errors();
    if (!lent->ok()) return machine_error("a worker cannot use its buffers: " + lent->detail);
  }
  TwoTimes times;
  for (int i = 0; i <= calls; ++i) {
    for (const Role role : {Role::reference, Role::candidate}) {
      const auto ms = call(role);
      if (!ms) return ms.errors();
      if (i > 0) (role == Role::reference ? times.first : times.second).push_back(*ms);
    }
  }
  arena_.take_back();
  return times;
}

Result<std::vector<double>> KernelCalibrator::measure_floor() {
  const Kernel nothing{"nothing", Kind::nothing, 0};
  const int calls = arena_.measures_speed() ? floor_calls : floor_calls_without_speed;
  auto times = time(nothing, sizes_of(nothing, arena_.device_info(), free_bytes_), 0, 0, calls);
  if (!times) return times.errors();
  std::vector<double> all = std::move(times->first);
  all.insert(all.end(), times->second.begin(), times->second.end());
  return all;
}

Result<double> KernelCalibrator::time_of(const Kernel& kernel, const Sizes& sizes, std::int64_t length) {
  auto times = time(kernel, sizes, length, length, guessing_calls);
  if (!times) return times.errors();
  times->first.insert(times->first.end(), times->second.begin(), times->second.end());
  return quantile(times->first, 0.5);
}

Result<double> KernelCalibrator::guess_slope(const Kernel& kernel, const Sizes& sizes, double shortest_ms) {
  double slope = 0;
  for (std::int64_t step = first_step; step < longest; step *= step_factor) {
    const auto ms = time_of(kernel, sizes, sizes.least_length + step);
    if (!ms) return ms.errors();
    slope = (*ms - shortest_ms) / static_cast<double>(step);
    if (*ms - shortest_ms >= guessing_part * kernel.target_ms) return slope;
  }
  return machine_error(fmt::format("kernel {} takes no time, however much it has to do", kernel.name),
                       "the device's clock does not run: report it");
}

Result<KernelCalibration> KernelCalibrator::refine(const Kernel& kernel, const Sizes& sizes,
                                                   std::int64_t length, double slope) {
  const double about_ms = std::max(kernel.target_ms, slope);
  const std::int64_t more = std::max<std::int64_t>(1, units_for(far_part * about_ms, slope));
  const int calls = std::clamp(static_cast<int>(refining_ms / about_ms / 2), fewest_calls, most_calls);
  const auto times = time(kernel, sizes, length, length + more, calls);
  if (!times) return times.errors();
  KernelCalibration result{sizes, length, middle_mean(times->first), 0};
  result.ms_per_length = (middle_mean(times->second) - result.ms) / static_cast<double>(more);
  if (result.ms_per_length <= 0) result.ms_per_length = slope;
  return result;
}

Result<KernelCalibration> KernelCalibrator::calibrate(const Kernel& kernel) {
  const Sizes sizes = sizes_of(kernel, arena_.device_info(), free_bytes_);
  if (!arena_.measures_speed())
    return KernelCalibration{sizes, sizes.least_length + length_without_speed, 0, 0};
  const auto shortest = time_of(kernel, sizes, sizes.least_length);
  if (!shortest) return shortest.errors();
  const auto slope = guess_slope(kernel, sizes, *shortest);
  if (!slope) return slope.errors();
  const std::int64_t length = sizes.least_length + units_for(kernel.target_ms - *shortest, *slope);
  auto result = refine(kernel, sizes, length, *slope);
  if (!result) return result;
  const double off = kernel.target_ms - result->ms;
  if (std::abs(off) <= near_enough * kernel.target_ms) return result;
  const auto correction = static_cast<std::int64_t>(std::llround(off / result->ms_per_length));
  const std::int64_t better = std::max(sizes.least_length, length + correction);
  return better == length ? result : refine(kernel, sizes, better, result->ms_per_length);
}

}  // namespace kgrade::selftest
