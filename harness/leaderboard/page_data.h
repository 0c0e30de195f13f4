// What the page shows of a leaderboard, row by row, and the same as the page's script reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

struct PageRow {
  const LeaderboardRow* row = nullptr;
  const Board* board = nullptr;           // null for what has no speed
  Precision precision = Precision::fp32;  // of its board, or that was asked for
  const Score* score = nullptr;           // that it is ranked by, or else its last one
  const Score* reference = nullptr;       // beside the reference
  double total_ms = 0;                    // medians of the measured cases, added up
  double total_flops = 0;                 // of the same; 0 where a case does not say
  double total_bytes = 0;
  double share = 0;  // of the roofline: geometric mean of the cases; 0: not known
};

// By problem, element type, GPU model and class, in a board by rank, and below it what has no speed. It
// points into the leaderboard.
std::vector<PageRow> page_rows(const Leaderboard& leaderboard);

constexpr std::size_t most_suite_rows = 12;  // curves of fast_p, and the rows beside them

nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const std::vector<PageRow>& rows);

}  // namespace kgrade
