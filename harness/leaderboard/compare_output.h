// Writes a comparison as JSON, as a table, and in Markdown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "leaderboard/compare.h"
#include "record/terminal.h"

namespace kgrade {

// --- JSON ---

constexpr int compare_schema_version = 1;

nlohmann::ordered_json to_json(const ComparedRecords& comparison);
// The schema of these documents: results/compare.schema.json.
nlohmann::ordered_json compare_schema();

// The JSON as text, with a line break at the end. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string to_text(const ComparedRecords& comparison);

// --- Text ---

// A row for each pair, a row for each case if there are several, the added and removed candidates, and the
// line of the suite.
std::string render_table(const ComparedRecords& comparison, const Style& style);

// The comparison in GitHub's Markdown, for a comment on a pull request. The summary comes first, then what
// has become worse or is missing, all of it. Unchanged pairs are only counted. Other text beyond the
// permitted length of a comment is replaced by a count.
std::string render_markdown(const ComparedRecords& comparison);

// "2 faster, 1 slower, 3 same; 1 no longer accepted". Counts of 0 are left out.
std::string summary_text(const ComparedRecords& comparison);

}  // namespace kgrade
