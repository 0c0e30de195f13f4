// Is the time that a worker reports all the time that its call took? The referee's own clock runs from the
// moment when a call can begin until the device does something for the referee again. What that is longer
// than the reported time is the protocol's; the reference, whose worker is known, shows how much of it is
// usual.
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

struct ClockTolerance {
  double milliseconds = 0;
  double share = 0;  // of the referee's time
  // More for calls that did not wait at the gate: their processes have to wake up within the referee's time.
  double not_hidden = 0;
};

// For times that count, and for those of a device that measures no speed, on a machine that does other things
// too.
ClockTolerance clock_tolerance(bool measures_speed);

// By how much the overheads of most of these calls differ (from the first to the last decile), in
// milliseconds: on a device that nobody else uses next to nothing.
double spread_of_overheads(const std::vector<ClockReading>& readings);

// What is wrong, in words with the figures; nothing when the readings agree, or are too few to say (below
// three). Of the candidate the calls count that report no more than the median, since they decide what it is:
// one who wants another median has to lie in most of those. Each is held against the median of the reference,
// and some honest ones acquit nobody of the rest.
std::optional<std::string> unexplained_time(const std::vector<ClockReading>& candidate,
                                            const std::vector<ClockReading>& reference,
                                            const ClockTolerance& tolerance);

}  // namespace kgrade
