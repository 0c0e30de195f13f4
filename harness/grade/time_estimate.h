// How long named cases take on the emulated device: it is up to a million times slower than the GPU that
// bench cases are sized for, and a user should know before the first call.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grade/candidate_run.h"
#include "grade/run.h"

namespace kgrade {

// Longer runs of named cases need --force.
inline constexpr double longest_without_force_s = 60;
// From here on the estimate is told.
inline constexpr double shortest_told_s = 5;

// "40 s", "12 min", "3 hours".
std::string about(double seconds);

// The case with its largest values halved until a call takes a fraction of a second, or until `require`
// allows no more. Nothing for a case that is as small already.
std::optional<Case> smaller_case(const Problem& problem, const Case& bound);

// Seconds of one call of the oracle.
using TimedCall = std::function<Result<double>(const Case&)>;

// Estimates what the named cases take, by timing smaller ones. A whole run of a case takes as long as
// `calls_of_oracle` of its calls. Tells options.notice what is long, or fails with what is too long without
// options.force. Nothing where no case is named, or where the oracle fails: the run will say how.
Failure foresee_time(const Problem& problem, const RunOptions& options, const std::vector<PlannedCase>& cases,
                     double calls_of_oracle, const TimedCall& time_call);

}  // namespace kgrade
