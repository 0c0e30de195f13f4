// Plain values with which a record describes speed: ratios with intervals, blocks of calls, measuring goals,
// scores, and telemetry of the GPU.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "record/device_info.h"
#include "record/verdict.h"

namespace kgrade {

// A closed interval with low <= high.
struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
  double half_width() const { return (high - low) / 2; }
};

enum class Statement { faster, slower, same, inconclusive };
enum class Method { within_process, pooled_processes, across_processes };

template <>
inline constexpr std::array<std::string_view, 4> enum_words<Statement> = {"faster", "slower", "same",
                                                                          "inconclusive"};
template <>
inline constexpr std::array<std::string_view, 3> enum_words<Method> = {"within_process", "pooled_processes",
                                                                       "across_processes"};

// `faster` if the whole interval is above 1 + margin, and `slower` if it is below 1 / (1 + margin). `same` if
// the whole interval is between these bounds, ends included. `inconclusive` otherwise, and if there is no
// interval. The bounds are symmetric on the log scale: exchanging the two sides swaps `faster` and `slower`,
// and changes nothing else. The ends of the interval and 1 + margin must be positive.
inline Statement statement_of(const std::optional<Interval>& ratio_interval, double margin = 0.01) {
  if (!ratio_interval) return Statement::inconclusive;
  const double bound = 1 + margin;
  const double lowest = ratio_interval->low;
  const double highest = ratio_interval->high;
  if (lowest > bound) return Statement::faster;
  if (1 / highest > bound) return Statement::slower;
  return highest <= bound && 1 / lowest <= bound ? Statement::same : Statement::inconclusive;
}

struct SpeedRatio {
  double ratio = 1;                                 // above 1: the candidate is faster
  std::optional<Interval> interval = std::nullopt;  // of the ratio
  Method method = Method::within_process;
  std::size_t count = 0;  // blocks within a process, or processes
  double weight = 1;      // of its case, in scores over several cases

  // Half of the interval's width on the log scale, sqrt(high / low) - 1. Relative: 0.005 is half a percent.
  std::optional<double> half_width() const {
    if (!interval) return std::nullopt;
    return std::sqrt(interval->high / interval->low) - 1;
  }
  Statement statement() const { return statement_of(interval); }
};

struct SuiteScore {
  double geometric_mean = 0;
  std::optional<Interval> interval = std::nullopt;
  std::size_t count = 0;
};

enum class Effort { quick, normal, ranked };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<Effort> = {"quick", "normal", "ranked"};

// Which baselines a user wants.
enum class WantedBaselines {
  none,
  usual,     // a vendor's and PyTorch's, if times are speed and there is time for them
  pytorch,   // those of `usual`, on every device that can run them: to try them
  compiled,  // as `usual`, and those of torch.compile
};
template <>
inline constexpr std::array<std::string_view, 4> enum_words<WantedBaselines> = {"none", "usual", "pytorch",
                                                                                "compiled"};

// If intervals are examined early, just those runs end whose spread came out too small by chance. In
// simulations (harness/tests/measure) up to 6 % of the intervals miss the true ratio if they are first
// examined after 10 blocks, and 5.0 to 5.6 % if after 30.
constexpr std::size_t usual_first_look = 30;

// When the measuring of a case may stop.
struct MeasuringGoal {
  // The relative half width that the interval of every speed ratio must reach: 0.005 is half a percent.
  double half_width = 0.005;
  // The time limit of one process. When it is over, measuring ends with the blocks so far.
  double budget_seconds = 0;
  // A slow kernel gets several times the budget to reach this many blocks (patience_for_blocks).
  std::size_t fewest_blocks = 0;
  // In how many processes of every contestant the case is measured: at least `processes`, and up to
  // `most_processes` if needed (measure/speedup.h).
  int processes = 1;
  int most_processes = 1;
  // The number of blocks after which the intervals are examined for the first time.
  std::size_t first_look = usual_first_look;
};

// Why a call was made.
enum class Purpose {
  warm_up,   // its time is not a sample, but is compared with samples
  compared,  // its time is a sample
  changed,   // a few elements of its inputs differ from the previous call's
  repeated   // its inputs are those of the previous call
};

// The kind of a call. The protocol takes equally long for all calls of one kind.
struct SampleKind {
  std::uint32_t launches = 1;
  bool queued = true;    // all launches were queued before the call could begin
  bool captured = true;  // outputs were copied when the worker's clock stopped

  bool operator==(const SampleKind&) const = default;
};

// One timed call of a contestant. Times are per launch, in milliseconds.
struct Sample {
  // NOLINTNEXTLINE(google-explicit-constructor): lists of times are lists of samples.
  Sample(double reported = 0, Purpose why = Purpose::compared) : reported_ms(reported), purpose(why) {}

  double reported_ms;      // the worker's time
  double settled_ms = 0;   // by the referee's clock, including the protocol; not kept in records
  double attested_ms = 0;  // by the clock rule (measure/clock_rule.h); 0: the clock attests nothing
  Purpose purpose;
  SampleKind kind;  // not kept in records

  double counted_ms() const { return is_raised() ? attested_ms : reported_ms; }
  bool is_raised() const { return attested_ms > reported_ms; }
};

struct Block {
  std::vector<std::size_t> order;              // the arms in the order of the first round
  std::vector<std::array<Sample, 2>> samples;  // for each arm, in the first round and in the second
  std::string voided;                          // why the block does not count; empty if it counts

  // All calls of a block are captured, or none.
  bool is_captured() const { return samples.front().front().kind.captured; }
};

// The counted times of an arm, in the order of the calls, without void blocks.
inline std::vector<double> times_of(std::span<const Block> blocks, std::size_t arm) {
  std::vector<double> times;
  for (const Block& block : blocks) {
    if (!block.voided.empty()) continue;
    for (const Sample& sample : block.samples[arm]) times.push_back(sample.counted_ms());
  }
  return times;
}

enum class BlockEnd {
  precise,       // every interval is narrow enough
  budget_spent,  // the time is over, and some interval is not narrow enough
  disturbed,     // too many blocks do not count
  broken_off     // a contestant failed
};
template <>
inline constexpr std::array<std::string_view, 4> enum_words<BlockEnd> = {"precise", "budget_spent",
                                                                         "disturbed", "broken_off"};

enum class BoundBy { memory, arithmetic };
template <>
inline constexpr std::array<std::string_view, 2> enum_words<BoundBy> = {"memory", "arithmetic"};

// The least time of a case: moving its bytes as fast as a copy does, and doing its operations at the rate of
// its class and type. Both happen at once, so the longer time counts.
struct Floor {
  double memory_ms = 0;
  double arithmetic_ms = 0;  // 0 if the problem does not say how many operations there are

  double ms() const { return memory_ms < arithmetic_ms ? arithmetic_ms : memory_ms; }
  BoundBy bound_by() const { return memory_ms < arithmetic_ms ? BoundBy::arithmetic : BoundBy::memory; }
};

// The blocks of one process per contestant.
struct ProcessBlocks {
  int launches = 1;  // in a sample, each on tensors of its own
  std::vector<Block> blocks;
  BlockEnd end = BlockEnd::broken_off;
  std::uint32_t group = 0;  // in a heat, processes of one group are in the same blocks; not kept in records
};

struct Measurement {
  CacheState cache = CacheState::cold;
  MeasuringGoal goal;
  double process_offset_ms = 0;  // the device's (DeviceInfo)
  std::vector<ProcessBlocks> processes;
};

// How a case compares with the device's rates.
struct CaseRoofline {
  Floor floor;
  std::vector<double> shares;  // the floor's share of each arm's median, in the order of the arms
};

// One contestant's speed relative to another's.
struct Speedup {
  std::string against;  // "reference", or the baseline's name
  SpeedRatio ratio;     // above 1: the candidate is faster
};

// One candidate's speed relative to another's, in one case.
struct ComparedCase {
  std::string name;
  SpeedRatio ratio;
};

// The opponents for speedups: the reference, or the fastest baseline of the answer's class in each case. For
// fast_p and suite scores, an opponent can also be one named baseline of any class.
inline constexpr std::string_view against_reference = "reference";
inline constexpr std::string_view against_baseline = "baseline";

// Speed over all measured cases of a candidate.
struct Score {
  std::string against;  // "reference", or "baseline": the fastest baseline of its class in each case
  SuiteScore speedup;   // geometric mean
  // KernelBench's fast_p: share of the cases with a speedup above p.
  std::map<double, double> fast = {};
};

// The result of a baseline in one case, when it was tried together with the reference, without a candidate.
struct BaselineCase {
  std::string name;
  Precision precision = Precision::none;  // that the baseline reaches
  double relative_error = 0;
  std::string problem;     // why its answer is not accepted; empty if it is
  std::vector<double> ms;  // per launch
};

struct TelemetryRange {
  unsigned minimum = 0;
  double median = 0;
  unsigned maximum = 0;

  bool operator==(const TelemetryRange&) const = default;
};

struct ReasonShare {
  std::string name;
  double share = 0;  // of the time, 0 to 1

  bool operator==(const ReasonShare&) const = default;
};

// Telemetry of the GPU while a candidate was graded.
struct TelemetrySummary {
  std::string absent;                // why there is no telemetry; empty if there is
  std::vector<std::string> missing;  // see Telemetry::missing()
  std::uint64_t readings = 0;
  std::uint64_t failed_readings = 0;
  double seconds = 0;  // from the first reading to the last
  std::optional<TelemetryRange> sm_clock_mhz;
  std::optional<TelemetryRange> memory_clock_mhz;
  std::optional<TelemetryRange> power_milliwatts;
  std::optional<TelemetryRange> power_limit_milliwatts;
  std::optional<TelemetryRange> temperature_celsius;
  bool reasons_known = false;        // in at least one reading; otherwise the next two members say nothing
  std::vector<ReasonShare> reasons;  // the reasons that were seen, by rising bit
  double power_capped_share = 0;     // the share of sw_power_cap among the reasons
  std::optional<unsigned> other_processes;  // the most seen at once; unset if never known
};

}  // namespace kgrade
