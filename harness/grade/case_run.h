// One candidate on one case: rounds of oracle, reference and candidate on the same fresh inputs, every call
// checked, until the plan has its samples or the candidate has failed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contest/arena.h"
#include "grade/checks.h"
#include "grade/stage_clock.h"
#include "measure/schedule.h"
#include "report/record.h"

namespace kgrade {

// A device that is idle begins with what it is asked for within microseconds; one that shares itself with a
// kernel that never ends does so when its time slice is over. In milliseconds.
constexpr double longest_wait_ms = 0.3;

// What all cases of a candidate share. Owns nothing.
struct Session {
  Arena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; by the reference's time when unset
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  int candidate_calls = 0;        // so far, of the present candidate's process
  bool device_is_shared = false;  // with somebody who was there before the candidate
  // What the reference takes alone, as last measured; see grade/reference_watch.h.
  std::map<std::string, std::vector<double>> reference_alone = {};
};

// An Error is not the candidate's: the device ran out of memory, or oracle and reference failed or disagree.
Result<CaseRecord> run_case(Session& session, const Case& bound, CheckList& checks);

// A record of a case that is not run, with the reason.
CaseRecord skipped_case(const Problem& problem, const Case& bound, const std::string& reason);

}  // namespace kgrade
