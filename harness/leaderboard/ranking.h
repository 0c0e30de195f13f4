// Ranks rows on boards, and solutions over many problems.
#pragma once

#include <cstddef>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// The ranks of the intervals, in their order. Rank 1 has the largest values. Time O(n log n).
std::vector<RankRange> rank_ranges(const std::vector<Interval>& intervals);

// `rows` are accepted candidates on devices whose times measure speed.
std::vector<Board> boards_of(std::vector<LeaderboardRow> rows);

// The thresholds for which fast_p is reported.
inline constexpr double fast_p_thresholds[] = {0.5, 1, 1.5, 2, 3, 5};

// Uses results of devices whose times measure speed. A solution may have several results on a problem
// (another file of that name, an earlier version, another run). The newest counts, whatever its verdict. If
// its answer is in another class or not accepted, the solution has no speedup on that problem.
std::vector<Suite> suites_of(const std::vector<Record>& records);

}  // namespace kgrade
