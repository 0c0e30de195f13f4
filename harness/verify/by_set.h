// The verdict of the set that a problem is from, by the set's own rule (SetRule in problem/problem.h). It
// stands in the record beside the grader's verdict, which it does not change. The rule judges one call of
// each case: the first one that was checked. What a set's own program compares with is its reference's
// output. Here it is the oracle's, rounded to the type of the output.
#pragma once

#include <optional>
#include <span>

#include "device/contents.h"
#include "problem/problem.h"
#include "record/record.h"

namespace kgrade {

// Judges a case by what the rule found in each of its outputs. Each output has to satisfy the rule.
CaseBySet judge_by_set(const SetRule& rule, std::span<const RuleCount> outputs);

// The set's verdict on a candidate, whose record has its verdict and its cases. Of `all_cases` with a rule,
// `planned_cases` were not skipped. Nothing if no case has a rule.
std::optional<CandidateBySet> verdict_by_set(const CandidateRecord& candidate, int all_cases,
                                             int planned_cases);

}  // namespace kgrade
