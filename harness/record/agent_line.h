// One line of JSON on a graded candidate, for programs that decide what to try next: `kgrade grade --agent`.
#pragma once

#include <string>

#include "record/record.h"

namespace kgrade {

// The line has fewer bytes than this, including the line break.
inline constexpr std::size_t longest_agent_line = 2000;

// The stage that the candidate reached, its verdict and the reason in one sentence, the first wrong element,
// the slowest measured case with its share of the roofline, and what to try next. Ends with a newline.
std::string agent_line(const CandidateRecord& candidate, const Record& record);

// The stage that the candidate reached before its verdict: "compile", "load", "answers", "speed" or "done".
std::string stage_of(const CandidateRecord& candidate);

}  // namespace kgrade
