// One candidate from its build to its record.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "grade/case_run.h"

namespace kgrade {

struct PlannedCase {
  Case bound;
  std::string skipped;  // why it does not run; empty: it does

  // Its speed is measured.
  bool is_measured() const { return skipped.empty() && bound.role == CaseRole::bench; }
};

// How long a contestant's static constructors may take.
inline constexpr std::chrono::milliseconds load_patience{60'000};
inline constexpr std::chrono::milliseconds candidate_load_patience{10'000};

// `record` comes with path and hash. Cases run in order, those whose speed is measured after all others: who
// is wrong need not wait for the baselines to be built. One that kills the worker ends the candidate, the
// cases after it are recorded as skipped. Baselines that are to be found first get the device to themselves:
// the candidate ends, and comes back in a new process. An Error is not the candidate's (see run_case).
Result<CandidateRecord> run_candidate(Session& session, const BuildOutcome& built,
                                      const std::vector<PlannedCase>& cases, CandidateRecord record);

}  // namespace kgrade
