// A leaderboard as JSON, as a table, and in Markdown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "leaderboard/leaderboard.h"
#include "record/terminal.h"

namespace kgrade {

// --- JSON ---

constexpr int leaderboard_schema_version = 1;

nlohmann::ordered_json to_json(const Leaderboard& leaderboard);
// What `kgrade compare` needs of such a document: without suites, runs, scores and earlier results.
// Complaints are the JsonValue's. Results on a board do not repeat what the board says.
Leaderboard read_leaderboard(const JsonValue& json);
// The schema of these documents: results/leaderboard.schema.json.
nlohmann::ordered_json leaderboard_schema();

// The same as text, with a line break at the end; what is not UTF-8 is replaced by U+FFFD. Only what is in
// the entries is in it, no clock: the same entries give the same bytes.
std::string to_text(const Leaderboard& leaderboard);

// --- Text ---

// All boards with their ranked rows, and how many have no rank by their verdicts.
std::string render_table(const Leaderboard& leaderboard, const Style& style);

// A table of texts as records have them, for a printer that escapes them.
struct PlainTable {
  std::vector<std::string> columns;
  std::vector<bool> is_number;  // of each column
  std::vector<std::vector<std::string>> rows{};
};

// The candidates of rank 1 of each board. On request, the first candidate of a board without ranks.
PlainTable leaders_of(const Leaderboard& leaderboard, bool includes_unranked);

// What has no speed.
PlainTable verdicts_of(const Leaderboard& leaderboard);

// For a README, between two lines that a script can find again: of each board the leaders, then the suites'
// best solutions. Texts from records are written so that they are no markup.
std::string render_markdown(const Leaderboard& leaderboard);

}  // namespace kgrade
