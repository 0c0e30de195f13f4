// The record of `kgrade selftest`, with unrounded figures. All printers read it. It holds the results of each
// comparison. The figures for each kernel are computed from these results, and so are the criteria that say
// whether the measuring protocol works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/statistics.h"
#include "measure/intervals.h"
#include "measure/speedup.h"
#include "measure/telemetry.h"
#include "record/record.h"
#include "record/speed.h"

namespace kgrade {

// How often something happened, with its 95 % interval (binomial_interval() of measure/intervals.h).
struct Share {
  std::uint64_t count = 0;
  std::uint64_t trials = 0;

  // 0 if there are no trials.
  double value() const { return trials > 0 ? static_cast<double>(count) / static_cast<double>(trials) : 0; }
  Interval interval() const { return binomial_interval(count, trials); }
  void add(bool came_true) {
    count += came_true ? 1 : 0;
    trials += 1;
  }
};

// One comparison of a kernel with itself. The second side may have more work.
struct SelftestComparison {
  std::size_t kernel = 0;          // index into SelftestRecord::kernels
  double asked = 0;                // the added work that was asked for: 0.02 is 2 %; 0: equal sides
  std::int64_t length = 0;         // of the first side; see SelftestKernel
  std::int64_t second_length = 0;  // of the second side
  std::optional<double>
      added;  // the time that was really added, relative; unset if times do not measure speed
  std::optional<SpeedRatio> ratio;      // above 1: the second side is faster; unset: see `problem`
  Summary first;                        // first side: times of one launch, in ms
  Summary second;                       // second side: times of one launch, in ms
  int launches = 1;                     // in a sample
  std::size_t blocks = 0;               // blocks that count
  std::size_t void_blocks = 0;          // blocks that do not count
  BlockEnd end = BlockEnd::broken_off;  // of the last process
  double seconds = 0;
  std::string problem;  // why there is no ratio: the message that grading would give

  bool same_work() const { return asked == 0; }
};

// Comparisons of a kernel with itself.
struct SameWork {
  std::size_t comparisons = 0;   // the comparisons with a ratio
  Share called;                  // the statement was `faster` or `slower`
  Share excludes_one;            // among comparisons with an interval
  double median_error = 0;       // of |log ratio|
  double large_error = 0;        // the 95th percentile of |log ratio|
  double median_half_width = 0;  // of the intervals, relative
  double median_blocks = 0;
  double median_seconds = 0;
};

// Comparisons of a kernel with itself slowed down.
struct SlowedDown {
  double asked = 0;
  double median_added = 0;  // added time, relative
  Share seen;               // the statement was `slower`
  Share covered;            // the interval contains the added time
  double median_bias = 0;   // the estimated slow-down minus the real one
};

struct SelftestKernel {
  std::string name;
  std::string bound_by;           // "arithmetic" or "memory"
  double target_ms = 0;           // the time for which its length is chosen
  std::int64_t length = 0;        // its amount of work, a scalar parameter
  double ms_per_length = 0;       // from the calibration; 0 if times do not measure speed
  double pilot_ms = 0;            // from the calibration; 0 if times do not measure speed
  double median_ms = 0;           // the measured time of a launch
  bool overhead_limited = false;  // it takes little longer than an empty kernel
  SameWork same;
  std::vector<SlowedDown> slowed;  // by rising amount
};

enum class CriterionOutcome { holds, fails, too_few };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<CriterionOutcome> = {"holds", "does not hold",
                                                                                 "too few to say"};

// A share that should be between two bounds.
struct Criterion {
  std::string name;  // "false_calls"
  std::string what;
  Share share;
  double lowest = 0;
  double highest = 1;
  CriterionOutcome outcome = CriterionOutcome::too_few;
};

struct SelftestFloor {
  std::vector<double> empty_ms;    // times of an empty kernel
  std::optional<double> grain_ms;  // the smallest difference between different times
};

struct SelftestRecord {
  ToolInfo tool;
  std::string started_at;  // ISO 8601, UTC
  HostInfo host;
  DeviceInfo device;
  SandboxRecord sandbox;
  std::string toolchain;
  std::uint64_t seed = 0;
  Effort effort = Effort::normal;
  MeasuringGoal goal;
  bool fresh_processes = false;  // new processes on both sides for every comparison
  SelftestFloor floor;
  std::vector<SelftestKernel> kernels;
  std::vector<SelftestComparison> comparisons;  // in the order in which they were made
  SameWork same;                                // of all kernels
  std::vector<SlowedDown> slowed;               // of all kernels
  std::size_t disturbed = 0;                    // comparisons that were spoilt by heat or a power brake
  std::size_t refused = 0;                      // comparisons without a ratio for other reasons
  std::vector<Criterion> criteria;
  TelemetrySummary telemetry;
  std::vector<std::string> notes;
  std::vector<StageTime> stages;
  double total_seconds = 0;

  // If times do not measure speed, nothing is judged.
  bool judged() const { return device.measures_speed; }
};

// These two require a record that is judged.
bool any_fails(const SelftestRecord& record);
bool all_hold(const SelftestRecord& record);

// The share of additional work on the second side in comparisons with a slow-down.
inline constexpr std::array<double, 3> slow_downs = {0.01, 0.02, 0.05};

// A kernel that takes less than this many times an empty one is limited by its launch.
inline constexpr double overhead_factor = 5;
// Bounds of the criteria.
inline constexpr double most_false_calls = 0.01;
inline constexpr double least_excluded = 0.02;
inline constexpr double most_excluded = 0.08;
// A side is called slower if the interval lies more than 1 % below 1, so a slow-down is sure to be seen if it
// exceeds this by the whole width of the interval: 2 % by default, 5 % with `--quick`.
constexpr double slow_down_to_see(double half_width) {
  for (const double slow_down : slow_downs) {
    if (slow_down + 1e-9 >= 0.01 + 2 * half_width) return slow_down;
  }
  return slow_downs.back();
}
inline constexpr double shortest_to_see_ms = 0.020;
inline constexpr double least_seen = 0.90;
inline constexpr double least_measured = 0.90;
// With fewer trials, a criterion can fail but not hold.
inline constexpr std::uint64_t fewest_trials = 10;

// `fails` if the whole interval is outside the bounds. `holds` if the share is within the bounds and there
// are enough trials. `too_few` otherwise.
CriterionOutcome outcome_of(const Share& share, double lowest, double highest);

// The smallest difference between different times. With many times, this is the grain of the clock. Nothing
// if all times are equal. Times differ if they differ by more than a float's rounding, which is 1e-7 ms below
// 1 ms. Times above 1 ms are ignored.
std::optional<double> grain_of(std::vector<double> times_ms);

// Fills in the results that follow from the record's kernels, comparisons and floor.
void conclude(SelftestRecord& record);

}  // namespace kgrade
