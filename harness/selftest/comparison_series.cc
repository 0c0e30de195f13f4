#include "selftest/comparison_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "draw/philox.h"
#include "grade/case_run.h"
#include "grade/contestants.h"
#include "grade/session.h"
#include "measure/speedup.h"
#include "verify/checks.h"

namespace kgrade::selftest {
namespace {

// Streams of random numbers that neither tensors nor orders of calls use.
constexpr std::uint32_t order_stream = 0x73656c66;
constexpr std::uint32_t seeds_stream = 0x73656564;

// An estimate, for forecasts, of what a call costs in addition to its kernel: moving and refilling buffers,
// comparing outputs, changing processes.
constexpr double call_overhead_ms = 1;

std::size_t count_blocks(const Measurement& measurement, bool voided) {
  std::size_t count = 0;
  for (const ProcessBlocks& process : measurement.processes) {
    for (const Block& block : process.blocks) count += block.voided.empty() != voided ? 1 : 0;
  }
  return count;
}

// Copies the results of the two sides from the case's record.
void take(const CaseRecord& found, SelftestComparison& comparison) {
  if (found.verdict != Verdict::accepted) {
    comparison.problem = fmt::format("{}: {}", to_string(found.verdict), found.message);
  }
  if (!found.measurement || found.measurement->processes.empty()) return;
  const Measurement& measurement = *found.measurement;
  comparison.blocks = count_blocks(measurement, false);
  comparison.void_blocks = count_blocks(measurement, true);
  comparison.launches = measurement.processes.front().launches;
  comparison.end = measurement.processes.back().end;
  comparison.first = found.reference().summary;
  comparison.second = found.candidate().summary;
  if (comparison.problem.empty()) comparison.ratio = speedups_of(found).front().ratio;
}

}  // namespace

std::vector<PlannedComparison> plan_comparisons(std::size_t kernels, std::size_t same, std::size_t slowed,
                                                std::uint64_t seed) {
  std::vector<PlannedComparison> plan;
  if (kernels == 0) return plan;
  for (std::size_t i = 0; i < same; ++i) plan.push_back({i % kernels, 0});
  // Slow-downs alternate, so that even a few comparisons include every slow-down.
  for (std::size_t i = 0; i < slowed; ++i) {
    const std::size_t kernel = i % kernels;
    plan.push_back({kernel, slow_downs[(i / kernels + kernel) % slow_downs.size()]});
  }
  for (std::size_t left = plan.size(); left > 1; --left) {
    const PhiloxBlock random = random_block({seed, order_stream, 0}, left);
    std::swap(plan[left - 1], plan[random.word[0] % left]);
  }
  return plan;
}

std::uint64_t seed_of_comparison(std::uint64_t seed, std::size_t number) {
  const PhiloxBlock random = random_block({seed, seeds_stream, 0}, number);
  return std::uint64_t{random.word[1]} << 32 | random.word[0];
}

void Forecast::took(std::size_t kernel, double seconds) {
  took_[kernel].seconds += seconds;
  took_[kernel].count += 1;
}

double Forecast::seconds_for(std::span<const PlannedComparison> rest) const {
  double seconds = 0;
  for (const PlannedComparison& planned : rest) {
    const Taken& taken = took_[planned.kernel];
    seconds += taken.count > 0 ? taken.seconds / taken.count : expected_[planned.kernel];
  }
  return seconds;
}

std::string time_left(double seconds) {
  if (seconds < 60) return "less than a minute left";
  return fmt::format("about {:.0f} min left", std::ceil(seconds / 60));
}

ComparisonSeries::ComparisonSeries(Contest& contest, const Problem& problem, const SeriesOptions& options,
                                   StageClock& stages, SelftestRecord& record, Watch watch)
    : contest_(contest),
      problem_(problem),
      options_(options),
      stages_(stages),
      record_(record),
      watch_(watch),
      plan_(plan_comparisons(options.kernels.size(), options.comparisons, options.slowdowns, record.seed)) {}

std::optional<Error> ComparisonSeries::run() {
  const bool is_shared = contest_.measures_speed() && contest_.busy_ms() > longest_wait_ms;
  if (is_shared) {
    record_.notes.emplace_back("something else uses the device: wait until it is free, and test again");
  }
  if (auto error = calibrate()) return error;
  const double start = stages_.now();
  for (std::size_t number = 0; number < plan_.size(); ++number) {
    if (options_.most_seconds && stages_.now() - start > *options_.most_seconds) {
      record_.notes.push_back(
          fmt::format("the time was over after {} of {} comparisons", number, plan_.size()));
      break;
    }
    if (auto error = compare(plan_[number], number)) return error;
  }
  return std::nullopt;
}

std::optional<Error> ComparisonSeries::calibrate() {
  const auto timer = stages_.time("pilot");
  KernelCalibrator calibrator(contest_, problem_, record_.seed, options_.free_bytes);
  options_.progress("an empty kernel");
  auto floor = calibrator.measure_floor();
  if (!floor) return floor.error();
  record_.floor.empty_ms = std::move(*floor);
  std::vector<double> expected;
  for (const Kernel& kernel : options_.kernels) {
    options_.progress("how long is " + kernel.name);
    const auto calibration = calibrator.calibrate(kernel);
    if (!calibration) return calibration.error();
    SelftestKernel known;
    known.name = kernel.name;
    known.bound_by = bound_by(kernel.kind);
    known.target_ms = kernel.target_ms;
    known.length = calibration->length;
    known.ms_per_length = calibration->ms_per_length;
    known.pilot_ms = calibration->ms;
    record_.kernels.push_back(std::move(known));
    calibrations_.push_back(*calibration);
    // The time until the interval is examined for the first time.
    const double rounds = 2.0 * static_cast<double>(record_.goal.first_look);
    const double round_ms = 2 * calibration->ms + 3 * call_overhead_ms;
    expected.push_back(record_.goal.processes *
                       std::min(record_.goal.budget_seconds, rounds * round_ms / 1000));
  }
  forecast_.emplace(std::move(expected));
  return std::nullopt;
}

// The length that adds this share of time. If times do not measure speed, it adds this share of work instead.
std::int64_t ComparisonSeries::second_length(const KernelCalibration& calibration, double added) const {
  if (added == 0) return calibration.length;
  const double units = calibration.ms_per_length > 0 ? added * calibration.ms / calibration.ms_per_length
                                                     : added * static_cast<double>(calibration.length);
  return calibration.length + std::max<std::int64_t>(1, std::llround(units));
}

std::optional<Error> ComparisonSeries::compare(const PlannedComparison& planned, std::size_t number) {
  const double start = stages_.now();
  const KernelCalibration& calibration = calibrations_[planned.kernel];
  SelftestComparison comparison;
  comparison.kernel = planned.kernel;
  comparison.asked = planned.added;
  comparison.length = calibration.length;
  comparison.second_length = second_length(calibration, planned.added);
  if (options_.fresh || !contest_.candidate_alive()) {
    if (auto error = start_anew()) return error;
  }
  const Kernel& kernel = options_.kernels[planned.kernel];
  const Sizes& sizes = calibration.sizes;
  contest_.take_back();
  cases_ = {case_of(problem_, kernel, sizes, sizes.least_length),
            case_of(problem_, kernel, sizes, comparison.length),
            case_of(problem_, kernel, sizes, comparison.second_length)};
  const double left = forecast_->seconds_for(std::span(plan_).subspan(number));
  const auto found = measure(cases_.reference, seed_of_comparison(record_.seed, number),
                             fmt::format("{} of {}, {}: ", number + 1, plan_.size(), time_left(left)));
  if (!found) return found.error();
  take(*found, comparison);
  if (contest_.measures_speed() && comparison.first.median > 0) {
    const auto units = static_cast<double>(comparison.second_length - comparison.length);
    comparison.added = units * calibration.ms_per_length / comparison.first.median;
  }
  comparison.seconds = stages_.now() - start;
  forecast_->took(planned.kernel, comparison.seconds);
  record_.comparisons.push_back(std::move(comparison));
  return std::nullopt;
}

Result<CaseRecord> ComparisonSeries::measure(const Case& bound, std::uint64_t seed,
                                             const std::string& prefix) {
  Session session{contest_, problem_, seed, record_.effort, {}, stages_, [&](const std::string& what) {
                    options_.progress(prefix + what);
                  }};
  session.goal = record_.goal;
  session.role_cases = &cases_;
  session.watch = watch_.blocks;
  session.sampler = watch_.sampler;
  session.candidate_calls = calls_;

  auto found = run_case(session, bound);
  const auto goes_on = [&](int process) {
    return found && found->verdict == Verdict::accepted && process < processes_wanted(*found);
  };
  for (int process = 1; contest_.measures_speed() && goes_on(process); ++process) {
    if (auto error = start_anew()) return *error;
    session.candidate_calls = 0;
    if (auto error = run_case_again(session, bound, *found)) return *error;
  }
  calls_ = session.candidate_calls;
  return found;
}

std::optional<Error> ComparisonSeries::start_anew() {
  contest_.take_back();
  const auto answer = contest_.start_anew(load_patience, load_patience);
  calls_ = 0;
  if (!answer) return answer.error();
  if (answer->ok()) return std::nullopt;
  return machine_error("a worker cannot be started anew: " + answer->detail, "run `kgrade doctor`");
}

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
  const CallReport report = contest_.call(role, {seed_, draws_++, 0, 1}, trusted_patience);
  if (const auto finding = review_call(report)) {
    return machine_error("a kernel of the self-test fails: " + finding->message,
                         "`kgrade doctor` says what this machine lacks");
  }
  return report.call.elapsed_ms;
}

Result<KernelCalibrator::TwoTimes> KernelCalibrator::time(const Kernel& kernel, const Sizes& sizes,
                                                          std::int64_t first, std::int64_t second,
                                                          int calls) {
  contest_.take_back();
  first_ = case_of(problem_, kernel, sizes, first);
  second_ = case_of(problem_, kernel, sizes, second);
  for (const Role role : {Role::reference, Role::candidate}) {
    const auto lent = contest_.lend(role, role == Role::reference ? first_ : second_, 1);
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
  contest_.take_back();
  return times;
}

Result<std::vector<double>> KernelCalibrator::measure_floor() {
  const Kernel nothing{"nothing", Kind::nothing, 0};
  const int calls = contest_.measures_speed() ? floor_calls : floor_calls_without_speed;
  auto times = time(nothing, sizes_of(nothing, contest_.device_info(), free_bytes_), 0, 0, calls);
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
  const Sizes sizes = sizes_of(kernel, contest_.device_info(), free_bytes_);
  if (!contest_.measures_speed())
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
