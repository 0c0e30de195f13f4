// Which cases a checked run takes, where every memory access is looked at.
#pragma once

#include <string>
#include <vector>

#include "grade/candidate_run.h"

namespace kgrade {

// A checked kernel makes 20 to 40 million accesses a second on one core, about one for each operation of a
// plain kernel; a case is called six times. This keeps each call near a second. On a GPU a run below one of
// compute-sanitizer's tools takes 0.3 to 1 s, starting it included.
inline constexpr std::int64_t most_checked_flops = 20'000'000;
// What is drawn, poisoned, compared and has its shadow.
inline constexpr std::int64_t most_checked_bytes = std::int64_t{4} << 20;
// The problem's cases in their order; the reason is set on those that are skipped. Cases that are named run,
// whatever their size, and no others.
Result<std::vector<PlannedCase>> select_small_cases(const Problem& problem,
                                                    const std::vector<std::string>& names);

}  // namespace kgrade
