// Is the time that a worker reports all the time that its call took? The referee's own clock runs from the
// moment when a call can begin until the device does something for the referee again. What that is longer
// than the reported time is the protocol's; the reference, whose worker is known, shows how much of it is
// usual: on the same tensors, in between, and in calls of the same kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

// One call, in milliseconds.
struct ClockReading {
  double reported = 0;  // by the worker
  double settled = 0;   // by the referee, see CallReport
  bool hidden = true;   // the call waited at its gate with all launches queued
  std::uint32_t launches = 1;
};

// To each comes twice the median deviation of the reference's own calls: on a device and a machine that
// nobody else uses hardly anything.
struct ClockTolerance {
  double milliseconds = 0;
  double share = 0;  // of the referee's time
  // More for calls that did not wait at the gate: what the worker queues behind the stop of its clock,
  // nothing hides where the contestant has waited for the device before.
  double not_hidden = 0;
  // Still more for those, where there are too few like them of the reference, as where a case's first call is
  // the only one: a busy machine may have to wake its process up.
  double strange = 0;
  // Of the faster half of the calls, how many may be beyond all that: a share of them, and one in any case.
  double calls = 0.5;
  // By how much a call that is beyond it may report less than any that is not (`strange` left aside): this
  // share, and the `milliseconds` above. A machine that does other things makes the referee's time longer,
  // not the worker's shorter. 0: as much as it likes.
  double shorter = 0;
};

// Which times are held against the clock: those that become a speed; those of the other cases, which are few,
// and who lies there gains nothing; and those of a device that measures no speed, on a machine that does
// other things too.
enum class TimesFor { speed, answers, nothing };
ClockTolerance clock_tolerance(TimesFor times_for);

// Calls of each kind that say something.
inline constexpr std::size_t fewest_readings = 3;

// By how much the overheads of most of these calls differ (from the first to the last decile), in
// milliseconds: on a device that nobody else uses next to nothing.
double spread_of_overheads(const std::vector<ClockReading>& readings);

// What is wrong, in words with the figures; nothing when the readings agree, or are too few to say (below
// fewest_readings). Of the candidate the calls count that report no more than the median: a call that reports
// too little is one of those, or changes little. Each is held against the median of the reference's calls
// that were hidden as it was, or of all of them where those are too few, and honest ones acquit nobody of the
// rest. And since a single one of few samples can make a speed, no call at all may be beyond the tolerance
// and short: see ClockTolerance::shorter.
std::optional<std::string> unexplained_time(const std::vector<ClockReading>& candidate,
                                            const std::vector<ClockReading>& reference,
                                            const ClockTolerance& tolerance);

// The least that a call reports which the clock explains; nothing where there is none, or the reference's
// calls are too few.
std::optional<double> least_explained(const std::vector<ClockReading>& candidate,
                                      const std::vector<ClockReading>& reference,
                                      const ClockTolerance& tolerance);

}  // namespace kgrade
