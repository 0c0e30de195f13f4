// A record, and parts of it, as text for a person.
#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// One block for each candidate: the verdict, then a row for each case that ran, and a line for those that
// were skipped. With `verbose`, also the checks, what sample cases printed, the telemetry, the stages and the
// compiler's log. Without it, candidates that are not accepted have a few lines each if they are many.
std::string render_table(const Record& record, const Style& style, bool verbose);

// The cases of a candidate that did not run.
class SkippedCases {
 public:
  void add(const std::string& name, const std::string& why);
  // "  skipped large, long: not run", a line for each reason. If two reasons contain a command and differ
  // only in the case that the command names, they share one line with NAME for the case: "--case NAME --force
  // runs it all the same".
  std::string text(const Style& style) const;

 private:
  struct Reason {
    std::string of_one;  // the reason as given for the first case
    std::string of_any;  // the reason with NAME in place of the case's name
    std::vector<std::string> names;
  };
  std::vector<Reason> reasons_;
};

// "1.48x the fastest baseline, 13.2x the reference": the last score comes first. Empty without scores.
std::string scores_text(const CandidateRecord& candidate);

// "9 of 15 cases; measured ones need a GPU": how many cases ran, and which did not. Empty if all ran.
std::string cases_text(const CandidateRecord& candidate);

// "accepted", "wrong_answer", "not decided".
std::string_view verdict_words(const CandidateBySet& by_set);

// "  lines 12 to 80", to follow the path of a candidate. Empty if the whole file was graded.
std::string lines_text(const std::optional<LineRange>& lines);

// "0.968x".
std::string ratio_text(double ratio);

// The compiler's log below the rest of a candidate's text. With `verbose`, all of the log, otherwise only the
// parts that are about the candidate.
std::string log_text(const std::string& log, bool verbose);
// Whether the message only repeats what log_text() shows.
bool repeats_log(const std::string& message, const std::string& log, bool verbose);

// One line that says that the contestants of a run were not confined; empty if they were.
std::string confinement_text(const SandboxRecord& sandbox, const Style& style);

}  // namespace kgrade
