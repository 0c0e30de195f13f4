// A picture of a self-test: the estimates of all comparisons of a binary with itself.
#pragma once

#include <string>

#include "selftest/selftest_record.h"

namespace kgrade {

// A self-contained SVG without script, in colours that can be read on a light and on a dark ground: a column
// for each kernel, in it a dot with its interval for each comparison, around 1 with the margin of 1 % on
// either side. What lies beyond the scale ends at its edge. Where times do not measure speed, it says so in
// place of dots.
std::string render_svg(const SelftestRecord& record);

}  // namespace kgrade
