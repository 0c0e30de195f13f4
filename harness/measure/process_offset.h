// What a process adds to the time of every launch, for as long as it lives.
//
// Two processes that run the same binary differ by a constant: on one H200 by 0.1 us (standard deviation),
// the same for kernels of 3 us and of 100 us, with a cold cache and a warm one, for any event, copy of the
// code or address of the data (results/nvidia-h200/process-offset.json). No number of samples in one process
// shows it. So the interval of a ratio takes it into account, and a kernel for which it matters is measured
// in several processes.
#pragma once

#include <optional>
#include <string>

#include "device/device.h"
#include "measure/schedule.h"

namespace kgrade {

// What to tell of a device whose constant is taken to be another's, on which it was measured. Where that is
// wrong by a factor of two, intervals of two to four processes hold the truth in 71 to 83 % of all runs
// instead of 95 % (harness/tests/measure/coverage_test.cc).
std::optional<std::string> borrowed_offset_note(const DeviceInfo& device);

// Of the log of the ratio of two processes' times, from the standard deviation of one process's constant and
// what a launch of either takes; all positive and in one unit.
double offset_of_log_ratio(double offset, double one, double other);

// How many processes bring an interval to the half-width that is wanted; from goal.processes to
// goal.most_processes. Half-widths add in quadrature, and of the square no more than `most_of_offset` is left
// to the offsets: the rest is what samples have to do with.
constexpr double most_of_offset = 0.75;
int processes_wanted(const MeasuringGoal& goal, double offset_log);

// The half-width inside one of these processes with which that of all is the one wanted. Where so many
// processes do not suffice, and never more than, goal.half_width.
double half_width_within(const MeasuringGoal& goal, double offset_log);

}  // namespace kgrade
