// Plans, forecasts and measures the comparisons of a self-test. Each comparison is measured like a case in
// grading (grade/case_run.h).
//
// Before any comparison, a calibration finds out how long an empty kernel takes on this device, and how much
// work each kernel needs to reach its target time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contest/contest.h"
#include "grade/session.h"
#include "selftest/kernels.h"
#include "selftest/selftest_record.h"

namespace kgrade::selftest {

struct KernelCalibration {
  Sizes sizes;
  std::int64_t length = 0;
  double ms = 0;             // of a launch; 0 if times do not measure speed
  double ms_per_length = 0;  // 0 if times do not measure speed
};

class KernelCalibrator {
 public:
  // Keeps references. `free_bytes` is the free memory of the device.
  KernelCalibrator(Contest& contest, const Problem& problem, std::uint64_t seed, std::uint64_t free_bytes)
      : contest_(contest), problem_(problem), seed_(seed), free_bytes_(free_bytes) {}

  // Times of an empty kernel. An Error if a call fails.
  Result<std::vector<double>> measure_floor();
  // Finds the length that meets the kernel's target. If even the least work takes longer, uses the least
  // work. An Error if a call fails.
  Result<KernelCalibration> calibrate(const Kernel& kernel);

 private:
  // The times of `calls` alternating calls of two sides. One warm-up call of each side is not included.
  struct TwoTimes {
    std::vector<double> first;
    std::vector<double> second;
  };
  Result<TwoTimes> time(const Kernel& kernel, const Sizes& sizes, std::int64_t first, std::int64_t second,
                        int calls);
  Result<double> call(Role role);
  // The median time of a few calls with one length.
  Result<double> time_of(const Kernel& kernel, const Sizes& sizes, std::int64_t length);
  // Milliseconds per unit of work, from a run that is long enough to measure.
  Result<double> guess_slope(const Kernel& kernel, const Sizes& sizes, double shortest_ms);
  Result<KernelCalibration> refine(const Kernel& kernel, const Sizes& sizes, std::int64_t length,
                                   double slope);

  Contest& contest_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::uint64_t free_bytes_;
  std::uint32_t draws_ = 0;
  Case first_;  // the two cases stay while their buffers are lent
  Case second_;
};

struct PlannedComparison {
  std::size_t kernel = 0;
  double added = 0;  // 0: equal work on both sides

  bool operator==(const PlannedComparison&) const = default;
};

// `same` comparisons of a kernel with itself, and `slowed` comparisons with a slow-down. They are spread
// evenly over kernels and slow-downs, in an order drawn from the seed.
std::vector<PlannedComparison> plan_comparisons(std::size_t kernels, std::size_t same, std::size_t slowed,
                                                std::uint64_t seed);

// Each comparison has its own seed.
std::uint64_t seed_of_comparison(std::uint64_t seed, std::size_t number);

// Estimates how long the remaining comparisons take, from those that are done.
class Forecast {
 public:
  // `seconds`: the expected time of a comparison of each kernel.
  explicit Forecast(std::vector<double> seconds) : expected_(std::move(seconds)), took_(expected_.size()) {}

  void took(std::size_t kernel, double seconds);
  double seconds_for(std::span<const PlannedComparison> rest) const;

 private:
  struct Taken {
    double seconds = 0;
    int count = 0;
  };
  std::vector<double> expected_;
  std::vector<Taken> took_;
};

struct SeriesOptions {
  std::vector<Kernel> kernels;
  std::size_t comparisons = 0;              // of kernels with themselves
  std::size_t slowdowns = 0;                // comparisons with a slow-down
  bool fresh = false;                       // new processes for each comparison
  std::optional<double> most_seconds = {};  // limit for all comparisons; when it is over, no more are made
  std::uint64_t free_bytes = 0;             // of the device's memory
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// The watchers of the device. Null if there are none.
struct Watch {
  BlockWatch* blocks = nullptr;
  TelemetrySampler* sampler = nullptr;
};

class ComparisonSeries {
 public:
  // Keeps references to all arguments except the last. `record` already has its seed, effort and goal.
  ComparisonSeries(Contest& contest, const Problem& problem, const SeriesOptions& options, StageClock& stages,
                   SelftestRecord& record, Watch watch = {});

  // An Error if the device fails. The record then has the results so far.
  std::optional<Error> run();

 private:
  std::optional<Error> calibrate();
  std::optional<Error> compare(const PlannedComparison& planned, std::size_t number);
  // The measured comparison. It has no ratio unless the answers of all processes are accepted.
  Result<CaseRecord> measure(const Case& bound, std::uint64_t seed, const std::string& prefix);
  std::optional<Error> start_anew();
  std::int64_t second_length(const KernelCalibration& calibration, double added) const;

  Contest& contest_;
  const Problem& problem_;
  const SeriesOptions& options_;
  StageClock& stages_;
  SelftestRecord& record_;
  Watch watch_;
  std::vector<KernelCalibration> calibrations_;
  std::vector<PlannedComparison> plan_;
  std::optional<Forecast> forecast_;
  RoleCases cases_;  // of the present comparison; the reference is the first side
  int calls_ = 0;    // calls in the second side's process
};

// "about 3 min left", "less than a minute left".
std::string time_left(double seconds);

}  // namespace kgrade::selftest
