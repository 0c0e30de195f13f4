// Checks what a problem file leaves out: families of inputs (`without`) and short cuts (`harmless`).
#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"
#include "soundness/lint_findings.h"

namespace kgrade {

// Adds family-not-drawn and short-cut-unknown for entries that leave out nothing.
void find_entries_without_effect(LintFindings& findings, const Problem& problem);

// A note for each input that has no families in a case, although its elements are drawn one by one. Grading
// then draws only what `init` says.
std::vector<std::string> notes_on_families(const Problem& problem, const std::vector<Case>& cases);

}  // namespace kgrade
