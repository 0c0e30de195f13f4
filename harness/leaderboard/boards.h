// Rows into boards, and ranks onto their rows.
#pragma once

#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// Of accepted candidates on devices whose times are speed.
std::vector<Board> boards_of(std::vector<LeaderboardRow> rows);

}  // namespace kgrade
