// A comparison as people and programs read it: as JSON, as a table, and in Markdown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leaderboard/compare.h"
#include "record/terminal.h"

namespace kgrade {

// --- JSON ---

constexpr int compare_schema_version = 1;

nlohmann::ordered_json to_json(const ComparedRecords& comparison);

// The same as text, with a line break at the end. What is not UTF-8 is replaced by U+FFFD.
std::string to_text(const ComparedRecords& comparison);

// --- Text ---

// A row for each pair, then a row for each case where there are several, what was added and removed, and the
// suite's line.
std::string render_table(const ComparedRecords& comparison, const Style& style);

// A line for each pair of candidates of a run: "b.cu is faster than a.cu: 1.12x (1.10x to 1.14x), in the same
// blocks". Of more than three each is compared with the fastest one. Only those of one class are compared;
// empty if there are no speeds.
std::string candidates_text(const Record& record);

// The comparison of two sides in GitHub's Markdown, the summary first, for a comment on a pull request: of
// pairs that did not change only their number. It is no longer than a comment may be; what is beyond is
// counted.
std::string render_markdown(const ComparedRecords& comparison);

// "2 faster, 1 slower, 3 same; 1 no longer accepted": what there is of these.
std::string summary_text(const ComparedRecords& comparison);

}  // namespace kgrade
