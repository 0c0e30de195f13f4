// Ranks of estimates that are known to an interval only.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/intervals.h"

namespace kgrade {

// `best` is 1 + the number of intervals that lie wholly above this one, `worst` the number of intervals less
// those that lie wholly below: the ranks that it can have for all that is known. Overlap is not transitive (a
// can overlap b, and b overlap c, where a lies above c), so ties are no groups: two share a rank when as many
// lie wholly above either, and whatever lies wholly above another has a better rank than it. Intervals that
// touch overlap.
struct RankRange {
  std::size_t best = 1;
  std::size_t worst = 1;
};

// In the order of the intervals, the largest values first in rank. Time O(n log n).
std::vector<RankRange> rank_ranges(const std::vector<Interval>& intervals);

}  // namespace kgrade
