// The plain values that a record tells a speed with: ratios with their intervals, blocks of calls, what was
// asked for, what it came to, and what the GPU said of itself meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/device_info.h"
#include "record/verdict.h"

namespace kgrade {

// Closed, low <= high.
struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double x) const { return low <= x && x <= high; }
  double half_width() const { return (high - low) / 2; }
};

enum class Statement { faster, slower, same, inconclusive };
enum class Method { within_process, pooled_processes, across_processes };

std::string_view to_string(Statement statement);  // "faster"
std::string_view to_string(Method method);        // "within_process"

// `faster` where the whole interval lies above 1 + margin, `slower` where it lies below 1 / (1 + margin),
// `same` where all of it lies from the one to the other, ends included; `inconclusive` for the rest and
// where there is no interval. The bounds are symmetric on the log scale, so exchanging the two sides turns
// `faster` into `slower` and leaves the others. The ends of the interval and 1 + margin are positive.
Statement statement_of(const std::optional<Interval>& ratio_interval, double margin = 0.01);

struct SpeedRatio {
  double ratio = 1;                                 // above 1: the candidate is faster
  std::optional<Interval> interval = std::nullopt;  // of the ratio
  Method method = Method::within_process;
  std::size_t count = 0;  // blocks within a process, or processes
  double weight = 1;      // of its case, in scores over several

  // Relative: 0.005 is half a per cent. Half of the interval's width on the log scale, sqrt(high / low) - 1.
  std::optional<double> half_width() const;
  Statement statement() const { return statement_of(interval); }
};

struct SuiteScore {
  double geometric_mean = 0;
  std::optional<Interval> interval = std::nullopt;
  std::size_t count = 0;
};

enum class Effort { quick, normal, ranked };
std::string_view to_string(Effort effort);  // "quick"

// Early looks end just those runs whose spread came out too small by chance: in simulations
// (harness/tests/measure) intervals miss in up to 6 % where the first look comes after 10 blocks, and in 5.0
// to 5.6 % after 30.
constexpr std::size_t usual_first_look = 30;

// Until when a case is measured.
struct MeasuringGoal {
  // Of the interval of every speed ratio, relative: 0.005 is half a percent.
  double half_width = 0.005;
  // Of one process; what has been measured by then is what there is.
  double budget_seconds = 0;
  // Fewer blocks than these have no interval (measure/intervals.h): a slow kernel is given several times
  // the budget for them (patience_for_blocks).
  std::size_t fewest_blocks = 0;
  // In how many processes of every contestant it is measured: in so many at least, and in up to
  // `most_processes` where it takes them (measure/speedup.h).
  int processes = 1;
  int most_processes = 1;
  // After so many blocks the intervals are looked at for the first time.
  std::size_t first_look = usual_first_look;
};

// Why a call was made.
enum class Purpose {
  warm_up,   // its time is evidence, no sample
  compared,  // its time is a sample
  changed,   // a few elements of its inputs differ from those of the call before
  repeated   // its inputs are those of the call before
};

// Calls of one kind take the protocol equally long.
struct SampleKind {
  std::uint32_t launches = 1;
  bool queued = true;    // all launches were queued before the call could begin
  bool captured = true;  // outputs were copied when the worker's clock stopped

  bool operator==(const SampleKind&) const = default;
};

// One timed call of a contestant, from its worker to the record. Times are those of one of its launches, in
// milliseconds.
struct Sample {
  // NOLINTNEXTLINE(google-explicit-constructor): lists of times are lists of samples.
  Sample(double reported = 0, Purpose why = Purpose::compared) : reported_ms(reported), purpose(why) {}

  double reported_ms;      // by the worker
  double settled_ms = 0;   // by the referee's clock, the protocol included; not kept in records
  double attested_ms = 0;  // of it, by the clock rule (measure/clock_rule.h); 0: the clock says nothing
  Purpose purpose;
  SampleKind kind;  // not kept in records

  double counted_ms() const { return is_raised() ? attested_ms : reported_ms; }
  bool is_raised() const { return attested_ms > reported_ms; }
};

struct Block {
  std::vector<std::size_t> order;              // of the arms in the first round
  std::vector<std::array<Sample, 2>> samples;  // by arm: of the first round and of the second
  std::string voided;                          // why it does not count; empty: it does
};

// What the samples of an arm count as, in the order of the calls, without void blocks.
std::vector<double> times_of(std::span<const Block> blocks, std::size_t arm);

enum class BlockEnd {
  precise,       // every interval is narrow enough
  budget_spent,  // they are not, and the time is over
  disturbed,     // too many blocks do not count
  broken_off     // a contestant failed
};
std::string_view to_string(BlockEnd end);  // "budget_spent"

enum class BoundBy { memory, arithmetic };
std::string_view to_string(BoundBy bound);  // "memory"

// What a case takes if it moves its bytes as fast as a copy does, and if it does its operations at the rate
// of its class and type; both at once, so that the longer of the two counts.
struct Floor {
  double memory_ms = 0;
  double arithmetic_ms = 0;  // 0 where the problem does not say how many operations there are

  double ms() const { return memory_ms < arithmetic_ms ? arithmetic_ms : memory_ms; }
  BoundBy bound_by() const { return memory_ms < arithmetic_ms ? BoundBy::arithmetic : BoundBy::memory; }
};

// The blocks of one process of every contestant.
struct ProcessBlocks {
  int launches = 1;  // of a sample, each on tensors of its own
  std::vector<Block> blocks;
  BlockEnd end = BlockEnd::broken_off;
  std::uint32_t group = 0;  // of a heat: those of one group are in the same blocks; not kept in records
};

struct Measurement {
  CacheState cache = CacheState::cold;
  MeasuringGoal goal;
  double process_offset_ms = 0;  // of the device (DeviceInfo)
  std::vector<ProcessBlocks> processes;
};

// What the device's rates say about a case.
struct CaseRoofline {
  Floor floor;
  std::vector<double> shares;  // of each arm's median, in the order of the arms
};

// One contestant's speed beside another's.
struct Speedup {
  std::string against;  // "reference", or the baseline's name
  SpeedRatio ratio;     // above 1: the candidate is faster
};

// How fast one candidate is beside another, in one case.
struct ComparedCase {
  std::string name;
  SpeedRatio ratio;
};

// Speed over all measured cases of a candidate.
struct Score {
  std::string against;  // "reference", or "baseline": the fastest one of its class in each case
  SuiteScore speedup;   // geometric mean
  // KernelBench's fast_p: share of the cases with a speedup above p.
  std::map<double, double> fast = {};
};

// A baseline by itself, beside the reference.
struct BaselineCase {
  std::string name;
  Precision precision = Precision::none;  // that it reaches
  double relative_error = 0;
  std::string problem;     // why its answer is not accepted; empty: it is
  std::vector<double> ms;  // each of one launch
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

// What a GPU said of itself while a candidate was graded.
struct TelemetrySummary {
  std::string absent;                // why there is no telemetry; empty when there is
  std::vector<std::string> missing;  // see Telemetry::missing()
  std::uint64_t readings = 0;
  std::uint64_t failed_readings = 0;
  double seconds = 0;  // from the first reading to the last
  std::optional<TelemetryRange> sm_clock_mhz;
  std::optional<TelemetryRange> memory_clock_mhz;
  std::optional<TelemetryRange> power_milliwatts;
  std::optional<TelemetryRange> power_limit_milliwatts;
  std::optional<TelemetryRange> temperature_celsius;
  bool reasons_known = false;               // in one reading at least; the next two say nothing without
  std::vector<ReasonShare> reasons;         // that were seen, by rising bit
  double power_capped_share = 0;            // that of sw_power_cap among them
  std::optional<unsigned> other_processes;  // the most that were seen at once; unset: never known
};

}  // namespace kgrade
