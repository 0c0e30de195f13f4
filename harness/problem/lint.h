// Everything that can be said about a problem file that parses: what keeps it from being graded, and what is
// probably not meant.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

struct LintFinding {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  Error what;
  std::string rule;  // its name: soundness/lint_findings.cc lists them
};

// "file:12:3: warning: message [rule]\n  hint: remedy".
std::string to_string(const LintFinding& finding);

// Errors: whatever missing_for_grading says, every case that resolve_case refuses, and, when nothing else is
// wrong, ranges of `fuzz` from which no hidden case can be drawn, or of which hardly a draw is legal; a
// scalar parameter of an integer type that no expression names (of one that is named, but in no shape, only a
// device shows whether it counts: soundness/dependence.h), cases with equal values, a `torch` section that
// cannot be evaluated on a case, or that states no case of role test or bench. Warnings: no sample case, no
// `flops`, a class other than exact where no output can be rounded, a `fuzz` that leaves out a parameter, an
// empty statement. In the order of the file.
std::vector<LintFinding> lint(const Problem& problem);

}  // namespace kgrade
