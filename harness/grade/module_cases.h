// Of a candidate that is a module: the cases that the problem's module can state.
#pragma once

#include <string>
#include <vector>

#include "grade/candidate_run.h"

namespace kgrade {

struct ModuleCases {
  std::vector<PlannedCase> cases;  // those that no module can state are skipped
  std::string note;                // how many can run of how many, and why not all; empty: all, or none
  std::string unsupported;         // why none is left to run, and which could; usually empty
};

// A module cannot state all cases: one may have a single stride for both axes.
ModuleCases stated_cases(const Problem& problem, std::vector<PlannedCase> cases);

}  // namespace kgrade
