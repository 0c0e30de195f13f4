// A whole run of `kgrade grade`: contestants are built and workers started side by side, then the
// candidates run through the cases, one after the other in an order that the seed draws.
#pragma once

#include "grade/run.h"
#include "record/record.h"

namespace kgrade {

// No case named: all, but no bench case on a device that does not measure speed.
struct GradeOptions : RunOptions {
  // Called when the candidate with this number begins, and when it has its verdict, with a record of its own
  // that holds the times of the run since the candidate before.
  std::function<void(std::size_t candidate)> on_start = [](std::size_t) {};
  std::function<void(std::size_t candidate, const Record& record)> on_verdict;
};

using GradeOutcome = RunOutcome<Record>;

GradeOutcome grade(const Problem& problem, const GradeOptions& options, std::shared_ptr<Bench> bench);

}  // namespace kgrade
