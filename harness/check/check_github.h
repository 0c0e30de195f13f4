// What a job of GitHub Actions shows of checked candidates: see record/ci_formats.h.
#pragma once

#include <string>
#include <vector>

#include "check/check_record.h"

namespace kgrade {

// An error for each finding, at its line where it has one, and for each candidate that does not compile. A
// notice for each that needs a GPU.
std::string github_annotations(const std::vector<CheckRecord>& records);

// For the job's summary, in Markdown: a row for each finding, then for what needs a GPU, then for what is
// clean, as far as a summary has room.
std::string github_summary(const std::vector<CheckRecord>& records);

}  // namespace kgrade
