// Which cases one run of `kgrade grade` takes: those of the problem's file, and hidden ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grade/candidate_run.h"
#include "grade/grade.h"

namespace kgrade {

struct ChosenCases {
  std::vector<PlannedCase> cases;
  std::optional<std::uint64_t> hidden_seed;  // of those drawn from the problem's ranges, if any were
};

// Hidden cases are drawn by the seed of the options, or a private one of their own; who names cases gets
// those alone unless he asks. Errors: a name that is no case, hidden cases of a problem without ranges,
// ranges in which no legal shape was found.
Result<ChosenCases> choose_cases(const Problem& problem, const GradeOptions& options, bool measures_speed);

}  // namespace kgrade
