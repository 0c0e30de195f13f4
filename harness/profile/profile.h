// A whole run of `kgrade profile`: what limits the kernels of candidates in one case. It is a separate run,
// and no verdict or speed uses its results. A candidate that is wrong in the case is not profiled.
#pragma once

#include <memory>

#include "grade/bench.h"
#include "grade/run.h"
#include "problem/problem.h"
#include "profile/profile_record.h"

namespace kgrade {

// `cases` names at most one case. The default is the largest measured case, or on the emulated device the
// largest case that `kgrade check` would run.
struct ProfileOptions : RunOptions {};

// The time limit of a call in seconds. Nsight Compute runs each kernel of a call some 30 times.
constexpr double default_profile_limit(bool on_gpu) { return on_gpu ? 300 : 60; }

using ProfileResult = RunOutcome<ProfileRecord>;

ProfileResult profile(const Problem& problem, const ProfileOptions& options, std::shared_ptr<Bench> bench);

}  // namespace kgrade
