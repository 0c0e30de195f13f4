// Carries out a run of `kgrade grade`: builds contestants and starts workers side by side, then runs the
// candidates through the cases, one after the other in an order that the seed draws.
#pragma once

#include "grade/run.h"
#include "record/record.h"

namespace kgrade {

class RunSetup;

// Examines an accepted candidate again, by other means than its answers in the cases. May change the
// candidate's verdict, and adds notes. Called on devices that do not measure speed.
using SecondLook = std::function<Failure(RunSetup& setup, const Problem& problem, const RunOptions& options,
                                         const CandidateSource& source, CandidateRecord& record)>;

// If no case is named, all cases run, except bench cases on a device that does not measure speed.
struct GradeOptions : RunOptions {
  // Called when the candidate with this number begins, and when it has its verdict. The record has no other
  // candidate. Its stage times begin at the end of the previous candidate.
  std::function<void(std::size_t candidate)> on_start = [](std::size_t) {};
  std::function<void(std::size_t candidate, const Record& record)> on_verdict;
  SecondLook second_look;  // null: none
  // Builds each candidate for the second look while its usual build runs. This takes a second core.
  bool looks_soon = false;
};

using GradeOutcome = RunOutcome<Record>;

GradeOutcome grade(const Problem& problem, const GradeOptions& options, std::shared_ptr<Bench> bench);

}  // namespace kgrade
