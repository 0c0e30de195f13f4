// Output of `kgrade check` for a job of GitHub Actions: annotations and a summary (record/ci_formats.h).
#pragma once

#include <string>
#include <vector>

#include "check/check_record.h"

namespace kgrade {

// An error for each finding and for each candidate that does not compile, at its line if it has one. The
// first finding of each candidate comes before the others, because GitHub shows ten of a step. Then a notice
// for each candidate that needs a GPU.
std::string github_annotations(const std::vector<CheckRecord>& records);

// The job's summary in Markdown: rows for findings, then for candidates that need a GPU, then for clean
// candidates, as far as a summary has room.
std::string github_summary(const std::vector<CheckRecord>& records);

}  // namespace kgrade
