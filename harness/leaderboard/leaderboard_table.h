// A leaderboard for the terminal, and in Markdown.
#pragma once

#include <string>

#include "leaderboard/leaderboard.h"
#include "record/terminal.h"

namespace kgrade {

// All boards with their ranked rows, and how many have no rank by their verdicts.
std::string render_table(const Leaderboard& leaderboard, const Style& style);

// For a README, between two lines that a script can find again: of each board the leaders, then the suites'
// best solutions. Texts from records are written so that they are no markup.
std::string render_markdown(const Leaderboard& leaderboard);

}  // namespace kgrade
