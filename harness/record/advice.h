// What to do next after a grade, for the table and for programs that read a line (record/agent_line.h).
#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The failed case with the least memory, hidden ones only if no other fails; null: none fails.
const CaseRecord* smallest_failure(const CandidateRecord& candidate);

// Commands for a shell: look for the bug, and see the smallest failure again. None for accepted candidates,
// and where no command of ours shows more.
std::vector<std::string> next_commands(const CandidateRecord& candidate, const Record& record);

// What names the record's problem in a command: its slug, or the Python file that it is.
std::string problem_word(const Record& record);

// A condition on one or two parameters that all failed cases meet and no accepted one does, of two or more
// each: "stride_h != stride_w"; empty: there is none.
std::string shared_by_failures(const CandidateRecord& candidate);

// For a shell: in single quotes where it has other characters than those of usual paths, and with ./ where it
// begins as options do.
std::string shell_word(const std::string& word);

}  // namespace kgrade
