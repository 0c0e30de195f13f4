// From what the referee saw of one call to a finding: which check failed, and the verdict that follows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contest/arena.h"
#include "record/verdict.h"

namespace kgrade {

struct CallFinding {
  Verdict verdict = Verdict::accepted;
  std::string_view check;
  std::string message;
};

// Everything but the outputs: faults, CUDA errors, the clock, guard zones, inputs. Nothing when all is well.
std::optional<CallFinding> review_call(const CallReport& report);

// A fault that says little by itself (a crash, an illegal address) may be a write to an input that is mapped
// read-only, or beyond a buffer: what a call in a worker with writable inputs changed tells which.
CallFinding explain_crash(const CallFinding& finding, const Lease::Corruption& corruption);

// True for findings that explain_crash can tell more about.
bool is_crash(const CallReport& report);

// What is said when a contestant of our own ("oracle", "reference", "baseline") fails on a case.
Error trusted_failure(std::string_view who, const Case& bound, const std::string& why);

// "[0, 3, 5]": the coordinates of a flat index in a tensor.
std::string coordinates(std::uint64_t index, const std::vector<std::int64_t>& shape);

}  // namespace kgrade
