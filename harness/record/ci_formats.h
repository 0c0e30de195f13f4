// Results for CI systems: JUnit XML, which all of them show, and what a job of GitHub Actions shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "record/record.h"
#include "record/verdict.h"

namespace kgrade {

// A candidate that has no verdict, through no fault of its own: kgrade or the machine failed.
struct Ungraded {
  std::string slug;
  Dtype dtype = Dtype::float32;
  std::string device;  // that it was to run on, as records name it; empty: not known
  std::string path;
  std::string message;
  std::string at;  // when that was found; ISO 8601, UTC
};

// The emulated device cannot run it: it has neither passed nor failed, and a machine with a GPU is to judge
// it.
bool needs_a_gpu(const Record& record);

// --- Markdown (GitHub Flavored Markdown, tables included) ---

// Text from a candidate as code on one line, of which nothing is markup, a link or the mention of a user:
// what is neither letter, digit, blank, hyphen nor slash is written as a character reference. Longer texts
// than `most_bytes` end there, with "...". Control characters and what is not UTF-8 are shown as printable()
// shows them.
std::string markdown_code(std::string_view text, std::size_t most_bytes = 300);

// --- GitHub Actions (docs.github.com: "Workflow commands for GitHub Actions"; escaped as actions/toolkit
// does) ---

// A line "::error file=...,line=...,title=...::message". `level` is "error" or "notice"; line 0: none is
// known. Quoted text stays within its line.
std::string github_annotation(const char* level, const std::string& file, int line, const std::string& title,
                              const std::string& message);

// An error for each candidate that was not accepted or not graded; a compile error has the line that the
// compiler named, where that is one of the candidate's file. A notice for each that needs a GPU.
std::string github_annotations(const std::vector<Record>& records,
                               const std::vector<Ungraded>& ungraded = {});

// For the job's summary, in Markdown: what was not graded, what was not accepted, what needs a GPU, then the
// rest with its speed, as far as a summary has room.
inline constexpr std::size_t most_summary_bytes = 900'000;  // a summary may have 1 MiB
std::string github_summary(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

// Text for a job's log in which nothing acts as a command. `token` has letters and digits, is unlike any
// command's name, and cannot be guessed by what wrote the text.
std::string github_quoted(std::string_view text, const std::string& token);

// --- JUnit XML ---

// A suite for each problem, element type and device; a test case for each candidate. A candidate that is not
// accepted is a failure with its verdict as type; one without a verdict is an error; one that needs a GPU is
// skipped. Follows both schemas in
// wide use, that of Ant's reports (windyroad/JUnit-Schema) and that of Jenkins (xUnit plugin, junit-10.xsd).
// Characters that XML 1.0 cannot hold are replaced.
std::string junit_xml(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

}  // namespace kgrade
