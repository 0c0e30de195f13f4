// Estimates how long named cases take on a device on the CPU. That device is up to a million times slower
// than the GPU that bench cases are sized for, and a user should know this before the first call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "contest/contest.h"
#include "grade/candidate_run.h"
#include "grade/run.h"

namespace kgrade {

// Longer runs of named cases need --force.
inline constexpr double longest_without_force_s = 60;
// Longer estimates are printed.
inline constexpr double shortest_told_s = 5;

// "40 s", "12 min", "3 hours".
std::string about(double seconds);

// The case with its largest values halved until a call takes a fraction of a second, or until `require`
// allows no more. Nothing if the case is small enough already.
std::optional<Case> smaller_case(const Problem& problem, const Case& bound);

// Estimates the time of the named cases by calling the oracle on smaller ones. A whole run of a case takes as
// long as `calls_of_oracle` calls of the oracle. Tells options.notice of a long time. Fails if the time is
// too long and options.force is false. Nothing happens if no case is named, or if the oracle fails: the run
// reports that.
Failure foresee_time(const Problem& problem, const RunOptions& options, const std::vector<PlannedCase>& cases,
                     double calls_of_oracle, Contest& contest, const Clock& clock);

}  // namespace kgrade
