// Selects the cases that the problem's module can state, for a candidate that is a module.
#pragma once

#include <string>
#include <vector>

#include "grade/candidate_run.h"

namespace kgrade {

struct ModuleCases {
  std::vector<PlannedCase> cases;  // cases that no module can state are skipped
  std::string note;                // how many cases can run and why not all; empty: all, or none
  std::string unsupported;         // why no case is left to run, and which cases could run; usually empty
};

// Skips the cases that the problem's module cannot state. For example, a module may have a single stride for
// both axes.
ModuleCases stated_cases(const Problem& problem, std::vector<PlannedCase> cases);

}  // namespace kgrade
