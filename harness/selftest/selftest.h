// A run of `kgrade selftest`: does the measuring protocol hold on this machine? The run compares a binary
// with itself, and with itself doing more work. It uses the same code as grading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grade/run.h"
#include "selftest/kernels.h"
#include "selftest/selftest_record.h"

namespace kgrade::selftest {

// The default number of comparisons of each kernel with itself.
inline constexpr std::size_t usual_per_kernel = 4;

struct SelftestOptions {
  std::vector<Kernel> kernels;
  Effort effort = Effort::normal;
  std::optional<double> budget_seconds;  // of a comparison; unset: by the effort
  std::optional<std::size_t>
      comparisons;                       // of a kernel with itself, in all; usual_per_kernel each when unset
  std::optional<std::size_t> slowdowns;  // with a slow-down, in all; unset: twice usual_per_kernel each
  std::optional<std::uint64_t> seed;     // unset: drawn at random
  bool fresh = true;                     // new processes for each comparison
  std::optional<double> most_seconds = {};  // of all comparisons
  bool require_sandbox = false;
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

using SelftestOutcome = RunOutcome<SelftestRecord>;

SelftestOutcome run_selftest(const SelftestOptions& options, Bench& bench);

}  // namespace kgrade::selftest
