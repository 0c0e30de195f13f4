#include "selftest/comparison_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/philox.h"
#include "grade/case_run.h"
#include "grade/contestants.h"
#include "measure/speedup.h"

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
  // In this order, even a few comparisons include every slow-down.
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

ComparisonSeries::ComparisonSeries(Arena& arena, const Problem& problem, const SeriesOptions& options,
                                   StageClock& stages, SelftestRecord& record, Watch watch)
    : arena_(arena),
      problem_(problem),
      options_(options),
      stages_(stages),
      record_(record),
      watch_(watch),
      plan_(plan_comparisons(options.kernels.size(), options.comparisons, options.slowdowns, record.seed)) {}

std::optional<Error> ComparisonSeries::run() {
  const bool is_shared = arena_.measures_speed() && arena_.busy_ms() > longest_wait_ms;
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
  KernelCalibrator calibrator(arena_, problem_, record_.seed, options_.free_bytes);
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
    expected.push_back(expected_seconds(*calibration));
  }
  forecast_.emplace(std::move(expected));
  return std::nullopt;
}

// The time until the interval is examined for the first time.
double ComparisonSeries::expected_seconds(const KernelCalibration& calibration) const {
  const double rounds = 2.0 * static_cast<double>(record_.goal.first_look);
  const double round_ms = 2 * calibration.ms + 3 * call_overhead_ms;
  return record_.goal.processes * std::min(record_.goal.budget_seconds, rounds * round_ms / 1000);
}

// The length that adds this share of time. If times do not measure speed, it adds this share of work instead.
std::int64_t ComparisonSeries::second_length(const KernelCalibration& calibration, double added) const {
  if (added == 0) return calibration.length;
  const double units = calibration.ms_per_length > 0 ? added * calibration.ms / calibration.ms_per_length
                                                     : added * static_cast<double>(calibration.length);
  return calibration.length + std::max<std::int64_t>(1, std::llround(units));
}

const Case& ComparisonSeries::set_cases(const SelftestComparison& comparison) {
  const Kernel& kernel = options_.kernels[comparison.kernel];
  const Sizes& sizes = calibrations_[comparison.kernel].sizes;
  arena_.take_back();
  cases_ = {case_of(problem_, kernel, sizes, sizes.least_length),
            case_of(problem_, kernel, sizes, comparison.length),
            case_of(problem_, kernel, sizes, comparison.second_length)};
  return cases_.reference;
}

std::string ComparisonSeries::progress_prefix(std::size_t number) const {
  const double seconds = forecast_->seconds_for(std::span(plan_).subspan(number));
  return fmt::format("{} of {}, {}: ", number + 1, plan_.size(), time_left(seconds));
}

std::optional<Error> ComparisonSeries::compare(const PlannedComparison& planned, std::size_t number) {
  const double start = stages_.now();
  const KernelCalibration& calibration = calibrations_[planned.kernel];
  SelftestComparison comparison;
  comparison.kernel = planned.kernel;
  comparison.asked = planned.added;
  comparison.length = calibration.length;
  comparison.second_length = second_length(calibration, planned.added);
  if (options_.fresh || !arena_.candidate_alive()) {
    if (auto error = start_anew()) return error;
  }
  const Case& bound = set_cases(comparison);
  const auto found = measure(bound, seed_of_comparison(record_.seed, number), progress_prefix(number));
  if (!found) return found.error();
  take(*found, comparison);
  if (arena_.measures_speed() && comparison.first.median > 0) {
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
  Session session{arena_, problem_, seed, record_.effort, {}, stages_, [&](const std::string& what) {
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
  for (int process = 1; arena_.measures_speed() && goes_on(process); ++process) {
    if (auto error = start_anew()) return *error;
    session.candidate_calls = 0;
    if (auto error = run_case_again(session, bound, *found)) return *error;
  }
  calls_ = session.candidate_calls;
  return found;
}

std::optional<Error> ComparisonSeries::start_anew() {
  arena_.take_back();
  const auto answer = arena_.start_anew(load_patience, load_patience);
  calls_ = 0;
  if (!answer) return answer.error();
  if (answer->ok()) return std::nullopt;
  return machine_error("a worker cannot be started anew: " + answer->detail, "run `kgrade doctor`");
}

}  // namespace kgrade::selftest
