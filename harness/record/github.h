// Results for a job of GitHub Actions.
// (docs.github.com: "Workflow commands for GitHub Actions"; escaping as actions/toolkit does it.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"
#include "record/ungraded.h"

namespace kgrade {

// A line "::error file=...,line=...,title=...::message" for each candidate that was not accepted or not
// graded; a compile error has the line that the compiler named, where that is one of the candidate's file.
// Whatever is quoted stays within its line.
std::string github_annotations(const std::vector<Record>& records,
                               const std::vector<Ungraded>& ungraded = {});

// For the job's summary, in Markdown: what was not graded, what was not accepted, then the rest with its
// speed, as far as a summary has room.
std::string github_summary(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

// Text for a job's log in which nothing acts as a command. `token` is one that nobody
// could know who had a part in the text: letters and digits, unlike any command's name.
std::string github_quoted(std::string_view text, const std::string& token);

}  // namespace kgrade
