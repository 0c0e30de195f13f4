// A record, and parts of it, as text for a person.
#pragma once

#include <string>

#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// One block for each candidate: the verdict, then a row for each case. With `verbose`, also the checks, what
// sample cases printed, the telemetry, the stages and the compiler's log.
std::string render_table(const Record& record, const Style& style, bool verbose);

// "1.48x the fastest baseline, 13.2x the reference": the last score comes first. Empty without scores.
std::string scores_text(const CandidateRecord& candidate);

// "9 of 15 cases; measured ones need a GPU": how many cases ran, and which did not. Empty if all ran.
std::string cases_text(const CandidateRecord& candidate);

// "  lines 12 to 80", to follow the path of a candidate. Empty if the whole file was graded.
std::string lines_text(const std::optional<LineRange>& lines);

// "0.968x".
std::string ratio_text(double ratio);

// The compiler's log below the rest of a candidate's text. With `verbose` it is whole, otherwise without what
// is not about the candidate.
std::string log_text(const std::string& log, bool verbose);
// Whether the message only repeats what log_text() shows.
bool repeats_log(const std::string& message, const std::string& log, bool verbose);

// One line that says that the contestants of a run were not confined; empty if they were.
std::string confinement_text(const SandboxRecord& sandbox, const Style& style);

}  // namespace kgrade
