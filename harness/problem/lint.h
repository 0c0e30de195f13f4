// What a problem file shows without a run: finds the reasons why a parsed problem file cannot be graded,
// and things that its author probably did not mean.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

struct LintFinding {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  Error what;
  std::string rule;  // the name of the rule that it breaks
};

// "file:12:3: warning: message [rule]\n  hint: remedy".
std::string to_string(const LintFinding& finding);

// Errors: everything that missing_for_grading() reports; a case that resolve_case() refuses; if nothing else
// is wrong, ranges of `fuzz` that give no hidden case, or hardly a legal draw; an integer scalar parameter
// other than a bool that no expression names and no `inputs` gets; cases with equal values; a `torch` section
// that cannot be evaluated on a case, or that states no case of role test or bench. Warnings: no sample case,
// no `flops`, a class other than exact if no output can be rounded, a `fuzz` that leaves out a parameter, an
// empty statement. Findings are in the order of the file.
std::vector<LintFinding> lint(const Problem& problem);

// Says which hidden shapes may be larger than those of every sample and test case, because authors and users
// try a kernel on these first. Empty if none may be larger.
std::string note_on_fuzz(const Problem& problem);

}  // namespace kgrade
