// A picture of a self-test, with the estimates of all comparisons of a binary with itself.
#pragma once

#include <string>

#include "selftest/selftest_record.h"

namespace kgrade {

// A self-contained SVG without scripts, readable on light and dark backgrounds. It has a column for each
// kernel, and in it a dot with an interval for each comparison, around 1 with a margin of 1 %. Intervals end
// at the edge of the scale. If times do not measure speed, a text says so.
std::string render_svg(const SelftestRecord& record);

}  // namespace kgrade
