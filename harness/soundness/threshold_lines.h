// Writes thresholds into the text of a problem file, and changes nothing else of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// Of each element type that was measured.
using MeasuredThresholds = std::map<Dtype, Thresholds>;

// The line `thresholds: {...}` and below it `# calibrated: <how>`, in the place of those that are there;
// where there are none, below `precision` or at the frontmatter's end. The thresholds are written with two
// digits; those of float32 as they are, those of other types below their names and without the ones that are
// the types' defaults, but for fp32. An Error when there is no frontmatter, and when `thresholds` holds other
// keys, which would be lost.
Result<std::string> with_thresholds(std::string_view content, const MeasuredThresholds& thresholds,
                                    const std::string& how);

// "{fp32: 1.0e-06, tf32: 1.0e-03, bf16: 5.0e-03, float16: {fp32: 5.0e-06}}".
std::string thresholds_text(const MeasuredThresholds& thresholds);

// As with_thresholds() writes and a reader reads them.
Thresholds with_two_digits(const Thresholds& thresholds);

}  // namespace kgrade
