// Checks one candidate of `kgrade check`. It runs the cases one after the other, each in every pass: an order
// of threads on the emulated device, or a tool of compute-sanitizer on a GPU. Each pass leaves evidence
// (memory errors, races), which becomes findings. What the referee sees itself, such as a wrong answer,
// becomes a finding if no evidence explains it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/check_record.h"
#include "compile/toolchain.h"
#include "contest/contest.h"
#include "grade/case_choice.h"
#include "record/stage_clock.h"

namespace kgrade {

inline constexpr int calls_in_a_pass = 2;

// Turns the evidence of a pass with `calls` calls into findings.
using EvidenceReader = std::function<std::vector<Finding>(const Evidence&, const Case& bound, int calls)>;

// The state that all candidates share. Owns nothing.
struct CheckSession {
  Contest& contest;
  const Problem& problem;
  std::uint64_t seed = 0;
  std::vector<CheckPass> passes;
  bool passes_are_orders = true;  // orders of threads; false: tools
  Patience time_limit{60'000};    // of one call
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  // Whether a failure ends the passes. Otherwise every pass shows what it finds.
  bool stops_at_failure = false;
};

// Checks one candidate. `record` must have path and hash. Equal findings of several cases and passes become
// one. A fault that the referee sees is a finding too, if nothing in the evidence explains it. An Error is
// never the candidate's fault.
Result<CheckedCandidate> check_candidate(CheckSession& session, const BuildOutcome& built,
                                         const std::vector<PlannedCase>& cases, const EvidenceReader& read,
                                         CheckedCandidate record);

}  // namespace kgrade
