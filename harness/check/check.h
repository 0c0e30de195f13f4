// A whole run of `kgrade check`: the oracle is built once, every candidate for checked runs, then each goes
// through the small cases in every pass, each with a fresh worker that calls it twice on the same inputs,
// since what a call leaves shows from the second on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/check_record.h"
#include "compile/toolchain.h"
#include "contest/arena.h"
#include "device/thread_order.h"
#include "grade/candidate_run.h"
#include "grade/case_choice.h"
#include "grade/run.h"
#include "record/stage_clock.h"

namespace kgrade {

// Which cases a checked run takes, where every memory access is checked.
//
// A checked kernel makes 20 to 40 million accesses a second on one core, about one for each operation of a
// plain kernel; a case is called six times. This keeps each call near a second. On a GPU a run below one of
// compute-sanitizer's tools takes 0.3 to 1 s, starting it included.
inline constexpr std::int64_t most_checked_flops = 20'000'000;
// Every byte is drawn, poisoned, compared and shadowed.
inline constexpr std::int64_t most_checked_bytes = std::int64_t{4} << 20;

// The problem's cases in their order, and hidden ones where a number or a seed of them is given; the reason
// is set on those that are skipped. Cases that are named run, whatever their size, and no others.
// `for_modules`: as choose_cases() has it.
Result<ChosenCases> select_small_cases(const Problem& problem, const RunOptions& options,
                                       bool for_modules = false);

inline constexpr int calls_in_a_pass = 2;

// Turns what a pass with `calls` calls left into findings.
using EvidenceReader = std::function<std::vector<Finding>(const Evidence&, const Case& bound, int calls)>;

// What all candidates share. Owns nothing.
struct CheckSession {
  CheckArena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;
  std::vector<CheckPass> passes;
  bool passes_are_orders = true;  // of threads; else tools
  Patience time_limit{60'000};    // of one call
  StageClock& stages;
  std::function<void(const std::string&)> progress;
};

// One candidate. `record` comes with path and hash. Equal findings of several cases and passes become one.
// What the referee finds is a finding too, if nothing in the evidence explains it. An Error is never the
// candidate's fault.
Result<CheckedCandidate> check_candidate(CheckSession& session, const BuildOutcome& built,
                                         const std::vector<PlannedCase>& cases, const EvidenceReader& read,
                                         CheckedCandidate record);

// No case named: the small ones. Named ones run whatever their size. The time limit: default_check_limit().
struct CheckOptions : RunOptions {
  std::vector<ThreadOrder> orders;  // of the emulated device; empty: all
};

// In seconds. Checked calls are slow. On a GPU the cases are small, and a kernel that hangs hangs under each
// tool.
constexpr double default_check_limit(bool on_gpu) { return on_gpu ? 20 : 60; }

using CheckResult = RunOutcome<CheckRecord>;

CheckResult check(const Problem& problem, const CheckOptions& options, std::shared_ptr<Bench> bench);

}  // namespace kgrade
