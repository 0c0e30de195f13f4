// Writes thresholds into the text of a problem file, and changes nothing else of it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spec/problem.h"

namespace kgrade {

// The line `thresholds: {...}` and below it `# calibrated: <how>`, in the place of those that are there;
// where there are none, below `precision` or at the frontmatter's end. The thresholds are written with two
// digits. An Error when there is no frontmatter, and when `thresholds` holds other keys, which would be lost.
Result<std::string> with_thresholds(std::string_view content, const Thresholds& thresholds,
                                    const std::string& how);

// As with_thresholds() writes and a reader reads them.
Thresholds with_two_digits(const Thresholds& thresholds);

}  // namespace kgrade
