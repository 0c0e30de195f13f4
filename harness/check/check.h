// A whole run of `kgrade check`: the oracle is built once, every candidate for checked runs, then each goes
// through the small cases in every pass.
#pragma once

#include <vector>

#include "check/finding.h"
#include "device/thread_order.h"
#include "grade/run.h"

namespace kgrade {

// No case named: the small ones. Named ones run whatever their size. The time limit: default_check_limit().
struct CheckOptions : RunOptions {
  std::vector<ThreadOrder> orders;  // of the emulated device; empty: all
};

// In seconds. Checked calls are slow. On a GPU the cases are the smallest, and a kernel that hangs does so
// below each tool.
constexpr double default_check_limit(bool on_gpu) { return on_gpu ? 20 : 60; }

using CheckResult = RunOutcome<CheckRecord>;

CheckResult check(const Problem& problem, const CheckOptions& options, const Machinery& machinery);

}  // namespace kgrade
