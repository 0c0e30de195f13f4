// The rehearsal of a candidate in Python. The candidate compiles and tunes itself in the rehearsal, before it
// is graded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grade/candidate_run.h"
#include "verify/checks.h"

namespace kgrade {

// How long a candidate in Python may take to load, and to rehearse a call.
constexpr Patience rehearsal_patience{300'000};

struct Rehearsal {
  std::optional<CallFinding> finding;  // after this call nothing else can be graded
  // By case: calls that raised, after which the process goes on.
  std::map<std::string, CallFinding> failed;
  Answer answer;       // to the lending that failed, or else to locking the candidate
  std::string report;  // the candidate's own account, in JSON
};

// Calls the candidate a few times on each case, on contents that no other call has, then locks it. The first
// fault ends the rehearsal, except an exception in a case: then the other cases are rehearsed. An Error is
// not the candidate's fault.
Result<Rehearsal> rehearse(Session& session, const std::vector<PlannedCase>& cases);

}  // namespace kgrade
