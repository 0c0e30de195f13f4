// Checking one candidate: every case in every pass, each with a fresh worker that calls it twice on the same
// inputs, since what a call leaves shows from the second on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/finding.h"
#include "compile/toolchain.h"
#include "contest/arena.h"
#include "grade/candidate_run.h"
#include "record/stage_clock.h"

namespace kgrade {

inline constexpr int calls_in_a_pass = 2;

// Findings in words, of what a pass with so many calls has left.
using EvidenceReader = std::function<std::vector<Finding>(const Evidence&, const Case& bound, int calls)>;

// What all candidates share. Owns nothing.
struct CheckSession {
  CheckArena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;
  std::vector<CheckPass> passes;
  bool passes_are_orders = true;  // else tools
  Patience time_limit{60'000};    // of one call
  StageClock& stages;
  std::function<void(const std::string&)> progress;
};

// `record` comes with path and hash. Equal findings of several cases and passes become one. What the referee
// finds is a finding too, if nothing in the evidence explains it. An Error is not the candidate's.
Result<CheckedCandidate> check_candidate(CheckSession& session, const BuildOutcome& built,
                                         const std::vector<PlannedCase>& cases, const EvidenceReader& read,
                                         CheckedCandidate record);

}  // namespace kgrade
