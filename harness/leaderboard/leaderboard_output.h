// A leaderboard as JSON, as a table, and in Markdown; and the notes above it.
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
// Reads the parts of such a document that `kgrade compare` needs: everything but suites, runs, scores and
// earlier results. Errors are reported through the JsonValue. A result on a board takes from the board the
// members that it does not repeat.
Leaderboard read_leaderboard(const JsonValue& json);
// The schema of these documents: results/leaderboard.schema.json.
nlohmann::ordered_json leaderboard_schema();

// The JSON as text, with a line break at the end. Bytes that are not UTF-8 are replaced by U+FFFD. The text
// has no time of its own, so the same entries give the same bytes.
std::string to_text(const Leaderboard& leaderboard);

// --- Text ---

// All boards with their ranked rows, and the number of candidates without a rank, by verdict.
std::string render_table(const Leaderboard& leaderboard, const Style& style);

// A table of texts as records have them, for a printer that escapes them.
struct PlainTable {
  std::vector<std::string> columns;
  std::vector<bool> is_number;  // of each column
  std::vector<std::vector<std::string>> rows{};
};

// The candidates of rank 1 of each board. On request, the first candidate of a board without ranks.
PlainTable leaders_of(const Leaderboard& leaderboard, bool includes_unranked);

// The candidates without a speed.
PlainTable verdicts_of(const Leaderboard& leaderboard);

// Tables for a README, between two lines that a script can find again: first the leaders of each board, then
// the best solutions of each suite. Texts from records are escaped, so that they cannot be markup.
std::string render_markdown(const Leaderboard& leaderboard);

// --- Notes ---

// A note that a reader needs before any row: why there are no ranks, whether anything was compared with a
// library, or which problems are missing. It is a sentence, and the names that it counts if they are worth
// listing.
struct LeaderboardNote {
  std::string text;
  std::vector<std::string> names{};
};

// `catalogue`: the slugs of all problems that could have results. Without it, only the problems of the
// records count.
std::vector<LeaderboardNote> notes_of(const Leaderboard& leaderboard,
                                      const std::vector<std::string>& catalogue = {});

// True if the speed was compared with a library: with a baseline, or with a reference in PyTorch.
bool is_beside_library(const Record& record);

}  // namespace kgrade
