// The notes that a reader of a leaderboard needs before any row: why there are no ranks, whether anything was
// compared with a library, and which problems are missing.
#pragma once

#include <string>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// A sentence, and the names that it counts if they are worth listing.
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
