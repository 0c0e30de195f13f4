// Whether the reference keeps to its own memory: the oracle as a candidate of `kgrade check`, on one case. On
// the emulated device every access reports itself; on a GPU it runs below memcheck of compute-sanitizer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "contest/contestant_runner.h"
#include "grade/contestants.h"
#include "soundness/lint_book.h"

namespace kgrade {

struct ReferenceCheck {
  Device& device;
  const Problem& problem;
  ContestantRunner& oracle;  // that has loaded the contestant
  Build& build;              // of the oracle, for checked runs
  bool all_orders;           // of threads, not just the forward one
  std::uint64_t seed;
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  std::shared_ptr<const Sandbox> sandbox;
};

// Findings go into the book: reference-out-of-bounds and reference-unsafe. Why nothing was looked at, or
// nothing when it was. An Error is the machine's.
Result<std::optional<std::string>> check_reference(const ReferenceCheck& check,
                                                   const std::filesystem::path& source, const Case& bound,
                                                   LintBook& book);

}  // namespace kgrade
