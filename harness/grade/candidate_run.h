// One candidate from its build to its record, and the reference alone before and after it.
#pragma once

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

// How fast the reference is when no candidate is there: a candidate that slows the reference down beside it
// would seem fast. Calls the reference alone on each case whose speed is measured. An Error is not a
// candidate's.
Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases);

// `record` comes with path and hash. Cases run in order, those whose speed is measured after all others: a
// wrong candidate need not wait for the baselines to be built. A case that kills the worker ends the
// candidate, and the cases after it are recorded as skipped. Baselines that are to be found first get the
// device to themselves: the candidate ends, and comes back in a new process. An Error is not the candidate's
// (see run_case).
Result<CandidateRecord> run_candidate(Session& session, const BuildOutcome& built,
                                      const std::vector<PlannedCase>& cases, CandidateRecord record);

}  // namespace kgrade
