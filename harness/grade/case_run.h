// One candidate on one case: rounds of oracle, reference and candidate on the same fresh inputs, every call
// checked, until the plan has its samples or the candidate has failed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "contest/arena.h"
#include "grade/checks.h"
#include "grade/stage_clock.h"
#include "measure/schedule.h"
#include "report/record.h"

namespace kgrade {

// What all cases of a candidate share. Owns nothing.
struct Session {
  Arena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; by the reference's time when unset
  StageClock& stages;
  std::function<void(const std::string&)> progress;
};

// An Error is not the candidate's: the device ran out of memory, or oracle and reference failed or disagree.
Result<CaseRecord> run_case(Session& session, const Case& bound, CheckList& checks);

// A record of a case that is not run, with the reason.
CaseRecord skipped_case(const Problem& problem, const Case& bound, const std::string& reason);

}  // namespace kgrade
