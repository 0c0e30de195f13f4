// A whole run of `kgrade check`: the oracle is built once, every candidate for checked runs, then each goes
// through the small cases in every pass.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/thread_order.h"
#include "grade/grade.h"
#include "report/finding.h"

namespace kgrade {

struct CheckOptions {
  std::vector<std::filesystem::path> candidates;
  std::vector<std::string> cases;            // by name, whatever their size; empty: the small ones
  std::vector<ThreadOrder> orders;           // of the emulated device; empty: all
  std::optional<std::uint64_t> seed;         // drawn at random when unset
  std::optional<double> time_limit_seconds;  // of one call; see default_check_limit()
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Checked calls are slow. On a GPU the cases are the smallest, and a kernel that hangs does so below each
// tool.
constexpr double default_check_limit(bool on_gpu) { return on_gpu ? 20 : 60; }

struct CheckResult {
  std::optional<CheckRecord> record;
  std::optional<GradeFailure> failure;
};

CheckResult check(const Problem& problem, const CheckOptions& options, const Machinery& machinery);

}  // namespace kgrade
