// How a leaderboard ranks: rows on boards, and solutions over many problems.
#pragma once

#include <cstddef>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// In the order of the intervals, the largest values first in rank. Time O(n log n).
std::vector<RankRange> rank_ranges(const std::vector<Interval>& intervals);

// Of accepted candidates on devices whose times are speed.
std::vector<Board> boards_of(std::vector<LeaderboardRow> rows);

// Speedups above which fast_p is written down.
inline constexpr double fast_p_thresholds[] = {0.5, 1, 1.5, 2, 3, 5};

// On devices whose times are speed. Of several results of one solution on a problem (another file of that
// name, an earlier version, another run) the newest counts, whatever its verdict: a solution that answers in
// another class, or no longer at all, has no speedup there.
std::vector<Suite> suites_of(const std::vector<Record>& records);

}  // namespace kgrade
