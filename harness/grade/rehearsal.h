// The rehearsal of a candidate in Python: whatever it compiles or tunes by itself, it does before it is
// graded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grade/candidate_run.h"
#include "verify/checks.h"

namespace kgrade {

// How long such a candidate may take to load, and to rehearse a call.
constexpr Patience rehearsal_patience{300'000};

struct Rehearsal {
  std::optional<CallFinding> finding;  // of a call, after which nothing else can be graded
  // Of calls that raised, by case, where the process goes on.
  std::map<std::string, CallFinding> failed;
  Answer answer;       // of the lending that failed, else of locking the candidate
  std::string report;  // what the candidate says of itself, in JSON of its own making
};

// Calls the candidate a few times on each case, on contents that no other call has, then locks it. Ends with
// the first thing that is wrong, except an exception in a case: then the other cases are rehearsed. An Error
// is not the candidate's.
Result<Rehearsal> rehearse(Session& session, const std::vector<PlannedCase>& cases);

}  // namespace kgrade
