// A whole run of `kgrade check`. The oracle is built once, and every candidate is built for checked runs.
// Each candidate runs the small cases in every pass. A pass uses a fresh worker, which calls the candidate
// twice on the same inputs, because the effects of what a call leaves behind only show in the second call.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/check_record.h"
#include "device/thread_order.h"
#include "grade/candidate_run.h"
#include "grade/case_choice.h"
#include "grade/run.h"

namespace kgrade {

// Limits for the cases of a checked run, in which every memory access is checked.
//
// A checked kernel makes 20 to 40 million accesses per second on one core, about one per operation of a plain
// kernel, and a case is called six times. This limit keeps each call near a second. On a GPU, a run under one
// of compute-sanitizer's tools takes 0.3 to 1 s, including its start.
inline constexpr std::int64_t most_checked_flops = 20'000'000;
// Every byte is drawn, poisoned, compared and shadowed.
inline constexpr std::int64_t most_checked_bytes = std::int64_t{4} << 20;

// The problem's cases in their order, and hidden cases if a number or a seed of them is given. Skipped cases
// have a reason. If cases are named, only these run, whatever their size. `for_modules`: see choose_cases().
Result<ChosenCases> select_small_cases(const Problem& problem, const RunOptions& options,
                                       bool for_modules = false);

// Without named cases, the small cases run. The default time limit is default_check_limit().
struct CheckOptions : RunOptions {
  std::vector<ThreadOrder> orders;  // on the emulated device; empty: all
};

// The time limit of a call in seconds. Checked calls are slow. It is shorter on a GPU, because cases are
// small and a kernel that hangs does so under each tool.
constexpr double default_check_limit(bool on_gpu) { return on_gpu ? 20 : 60; }

using CheckResult = RunOutcome<CheckRecord>;

CheckResult check(const Problem& problem, const CheckOptions& options, std::shared_ptr<Bench> bench);

}  // namespace kgrade
