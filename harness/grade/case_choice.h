// Chooses the cases of a run of `grade` or `check`: cases of the problem's file, cases written on the command
// line, and hidden cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grade/candidate_run.h"
#include "grade/run.h"

namespace kgrade {

struct ModuleCases {
  std::vector<PlannedCase> cases;  // cases that no module can state are skipped
  std::string note;                // how many cases can run and why not all; empty: all, or none
  std::string unsupported;         // why no case is left to run, and which cases could run; usually empty
};

// Skips the cases that the problem's module cannot state. For example, a module may have a single stride for
// both axes.
ModuleCases stated_cases(const Problem& problem, std::vector<PlannedCase> cases);

// The cases that a candidate of this kind can run: stated_cases() for a module. Any other candidate can run
// none if its arguments do not tell what the cases ask for (problem/untold.h).
ModuleCases cases_for(const BuildOutcome& built, const Problem& problem, std::vector<PlannedCase> cases);

// The end of the message about a case that a grade leaves out unless the case is named, because there is no
// GPU or because the case takes long.
inline constexpr std::string_view runs_when_named = "runs it all the same";

// The named cases, or all of the problem's file if none is named; written cases come last. If times do not
// measure speed, bench cases that are not named are left out. With Effort::quick, cases that are not quick
// are left out unless named.
Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const std::vector<std::string>& names,
                                              bool measures_speed, Effort effort = Effort::normal);

// "there is no case X", with the nearest name, or all names.
Error unknown_case(const Problem& problem, const std::string& name);

struct ChosenCases {
  std::vector<PlannedCase> cases;
  std::optional<std::uint64_t> hidden_seed;  // of cases drawn from the problem's ranges, if there are any
};

// The cases of select_cases(), and hidden cases. Hidden cases are drawn by the seed of the options, or by a
// private seed. If the options give neither their number nor a seed, the usual number is drawn, provided that
// `draws_by_itself` and no case is named. A name such as hidden-2 takes only this case among those that the
// given seed draws. Errors: an unknown name, hidden cases of a problem without ranges, ranges in which no
// legal shape was found. `for_modules`: if the problem says how a module states it, only hidden cases that a
// module can state are drawn.
Result<ChosenCases> choose_cases(const Problem& problem, const RunOptions& options, bool measures_speed,
                                 bool draws_by_itself, bool for_modules = false);

// The least number of calls on families of inputs that a candidate gets in each case.
inline constexpr int least_varied_rounds = 2;
// How many calls on families of inputs a candidate gets in this case. A small case that is the only one of
// its file gets more. Otherwise some families would never be drawn, or only in one direction.
int varied_rounds(const Problem& problem, const Case& bound, bool measures_speed);
// The number of a case's first draw of families: the cases of a run take the families in turn. It is the same
// if the case is graded alone.
std::uint32_t first_family(const Problem& problem, const Case& bound);

// The record of a case that has not been run.
CaseRecord blank_record(const Problem& problem, const Case& bound);

}  // namespace kgrade
