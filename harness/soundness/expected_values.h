// Whether the expected values of a case's outputs can be compared at all. Values that are not finite cannot
// be compared, and a comparison does not see elements that are much smaller than the rest. `expected` are the
// oracle's outputs, or samples of them.
#pragma once

#include <vector>

#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/lint_findings.h"

namespace kgrade {

// Reports an output with values that are not finite, and returns false for it. With such expected values, a
// kernel that writes only infinities could be accepted. Some infinite elements are intended, for example from
// a mask, and are not reported. If numbers became too large for the type, there are also finite elements that
// are nearly as large.
bool check_expected_values(LintFindings& findings, const Case& bound, const std::vector<Values>& expected);

// Reports an output in which more than a tenth of the elements are too small for the rule for errors. The
// rule judges the smaller three quarters together, so the largest of them decide.
void check_magnitudes(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                      const std::vector<Values>& expected);

}  // namespace kgrade
