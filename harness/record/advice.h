// Suggests what to do next after a grade, for the table and for the agent line (record/agent_line.h).
#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The failed case with the least memory, of all or of those that have examples of wrong elements. A hidden
// case is chosen only if no other case fails. Null if none fails.
const CaseRecord* smallest_failure(const CandidateRecord& candidate, bool with_examples = false);

// Shell commands that look for the bug and show the smallest failure again. Empty for accepted candidates,
// and if no command would show more.
std::vector<std::string> next_commands(const CandidateRecord& candidate, const Record& record);

// The word for the record's problem in a command: as the user named it, or else its slug or the path of its
// Python file.
std::string problem_word(const Record& record);

// A condition on one or two parameters that all failed cases meet and no accepted case meets: "stride_h !=
// stride_w", "interleaved == 1", "k > 8". Where conditions on several parameters fit, any may be the cause,
// and at most three are named: "n > 3; this fits as well: b < 131". Empty if there is none, or with fewer
// than two failed or two accepted cases. A limit such as 8 needs more cases, because some limit separates a
// few cases by chance.
std::string shared_by_failures(const CandidateRecord& candidate);

// The word for a shell: in single quotes if it has unusual characters, and with ./ before it if it begins
// like an option.
std::string shell_word(const std::string& word);

}  // namespace kgrade
