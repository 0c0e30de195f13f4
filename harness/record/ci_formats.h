// Results for CI systems: JUnit XML for all of them, and annotations and summaries for GitHub Actions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "record/record.h"
#include "record/verdict.h"

namespace kgrade {

// A candidate without a verdict, because kgrade or the machine failed.
struct Ungraded {
  std::string slug;
  Dtype dtype = Dtype::float32;
  std::string device;  // the device that it was to run on, as records name it; empty if unknown
  std::string path;
  std::string message;
  std::string at;  // when the failure was found; ISO 8601, UTC
};

// True if the device, which is no GPU, cannot run the candidate. It has neither passed nor failed, and needs
// a machine with a GPU.
bool needs_a_gpu(const Record& record);

// --- Markdown (GitHub Flavored Markdown, tables included) ---

// Text from a candidate as code on one line of Markdown, without markup, links or mentions of users.
// Characters except letters, digits, blanks, hyphens and slashes are written as character references. A text
// longer than `most_bytes` is cut off, with "...". Control characters and bytes that are not UTF-8 are shown
// as printable() shows them.
std::string markdown_code(std::string_view text, std::size_t most_bytes = 300);

// --- GitHub Actions (docs.github.com: "Workflow commands for GitHub Actions"; escaped as actions/toolkit
// does) ---

// The line "::error file=...,line=...,title=...::message". `level` is "error" or "notice". Line 0 means
// unknown. Quoted text cannot leave its line.
std::string github_annotation(const char* level, const std::string& file, int line, const std::string& title,
                              const std::string& message);

// The line that a compiler's message names first, if it is in the file `path`: the N of "PATH:N:..." (gcc,
// clang) or "PATH(N)..." (nvcc). 0 if the message begins in another way.
int line_named(std::string_view message, std::string_view path);

// An error for each candidate that was not accepted or not graded, then a notice for each that needs a GPU.
// GitHub shows ten of a step. A compile error has the line that the compiler named.
std::string github_annotations(const std::vector<Record>& records,
                               const std::vector<Ungraded>& ungraded = {});

// The job's summary in Markdown. First come candidates that were not graded, then rejected ones, then any
// that need a GPU, then the rest with their speeds. It is cut off at most_summary_bytes.
inline constexpr std::size_t most_summary_bytes = 900'000;  // a summary may have 1 MiB
std::string github_summary(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

// Text for a job's log in which nothing acts as a command. `token` has letters and digits, differs from the
// name of every command, and cannot be guessed by the author of the text.
std::string github_quoted(std::string_view text, const std::string& token);

// --- JUnit XML ---

// A suite for each problem, element type and device, and a test case for each candidate. A candidate that is
// not accepted is a failure with its verdict as type. A candidate without a verdict is an error. A candidate
// that needs a GPU is skipped. Follows both schemas in wide use: Ant's reports (windyroad/JUnit-Schema) and
// Jenkins (xUnit plugin, junit-10.xsd). Characters that XML 1.0 cannot hold are replaced.
std::string junit_xml(const std::vector<Record>& records, const std::vector<Ungraded>& ungraded = {});

}  // namespace kgrade
