// What a sweep came to, for people.
#pragma once

#include <string>
#include <vector>

#include "record/ci_formats.h"
#include "record/terminal.h"
#include "sweep/sweep.h"

namespace kgrade {

// "accepted  conv-.../naive.cu  1.48x cudnn-fp32", for a line as each result comes.
std::string result_line(const Record& record, const Style& style);

// A row a candidate, those without a verdict with the reason, and a line of counts.
std::string render_summary(const SweepOutcome& outcome, const Style& style);

// Those without a verdict, for CI systems: on the device of the other results.
std::vector<Ungraded> ungraded_of(const SweepOutcome& outcome);

}  // namespace kgrade
