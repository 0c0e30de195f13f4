#include "check/small_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "grade/run_setup.h"

namespace kgrade {
namespace {

std::int64_t bytes_of(const Case& bound) { return bound.tensor_bytes(); }

// Empty when the case is small enough.
std::string why_too_large(const Case& bound) {
  if (bound.role == CaseRole::bench) return "sized for a GPU's speed";
  if (bound.flops && *bound.flops > most_checked_flops) {
    return fmt::format("{} operations, checked runs take up to {}", *bound.flops, most_checked_flops);
  }
  if (bytes_of(bound) > most_checked_bytes) {
    return fmt::format("{} of tensors, checked runs take up to {}",
                       format_bytes(static_cast<std::uint64_t>(bytes_of(bound))),
                       format_bytes(static_cast<std::uint64_t>(most_checked_bytes)));
  }
  return "";
}

}  // namespace

Result<std::vector<PlannedCase>> select_small_cases(const Problem& problem,
                                                    const std::vector<std::string>& names) {
  auto cases = select_cases(problem, names, true);
  if (!cases || !names.empty()) return cases;
  for (PlannedCase& planned : *cases) planned.skipped = why_too_large(planned.bound);
  for (PlannedCase& planned : *cases) {
    if (!planned.skipped.empty()) {
      planned.skipped += fmt::format("; --case {} runs it all the same", planned.bound.name);
    }
  }
  return cases;
}

}  // namespace kgrade
