// Which cases a run of `grade` or `check` takes: those of the problem's file, those that are written on the
// command line, and hidden ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grade/candidate_run.h"
#include "grade/run.h"

namespace kgrade {

// The cases that are named, or all of the problem's file when none is; written ones come last. Where times do
// not measure speed, bench cases are left out unless named; so are those that are no quick ones, in a hurry.
Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const std::vector<std::string>& names,
                                              bool measures_speed, Effort effort = Effort::normal);

// "there is no case X", with the nearest one or all of them.
Error unknown_case(const Problem& problem, const std::string& name);

struct ChosenCases {
  std::vector<PlannedCase> cases;
  std::optional<std::uint64_t> hidden_seed;  // of those drawn from the problem's ranges, if any were
};

// As select_cases(), and hidden ones. These are drawn by the seed of the options, or a private one of their
// own. Where neither their number nor a seed is given, there are the usual number if the command draws some
// by itself and no case is named. A name such as hidden-2 takes this one alone of those that the given seed
// draws. Errors: a name that is no case, hidden cases of a problem without ranges, ranges in which no legal
// shape was found.
// `for_modules`: where the problem says how a module states it, hidden cases are such that one can.
Result<ChosenCases> choose_cases(const Problem& problem, const RunOptions& options, bool measures_speed,
                                 bool draws_by_itself, bool for_modules = false);

}  // namespace kgrade
