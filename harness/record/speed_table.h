// How fast the contestants of a measured case are, and what that says about the candidate.
#pragma once

#include <string>

#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// A line for each arm and what it took, with the comparison that it stands for; empty for a case that has
// none.
std::string speed_table(const CaseRecord& c, const Style& style);

// "1.48x cudnn-fp32, 13.2x the reference": the last score first. Empty without scores.
std::string scores_text(const CandidateRecord& candidate);

// "0.968x", with as many digits as the interval deserves.
std::string ratio_text(double ratio);

}  // namespace kgrade
