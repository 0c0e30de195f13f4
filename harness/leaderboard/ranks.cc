#include "leaderboard/ranks.h"

#include <algorithm>

namespace kgrade {

std::vector<RankRange> rank_ranges(const std::vector<Interval>& intervals) {
  std::vector<double> lows;
  std::vector<double> highs;
  for (const Interval& interval : intervals) {
    lows.push_back(interval.low);
    highs.push_back(interval.high);
  }
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  std::vector<RankRange> ranges;
  ranges.reserve(intervals.size());
  for (const Interval& interval : intervals) {
    const auto above = lows.end() - std::upper_bound(lows.begin(), lows.end(), interval.high);
    const auto below = std::lower_bound(highs.begin(), highs.end(), interval.low) - highs.begin();
    ranges.push_back(
        {1 + static_cast<std::size_t>(above), intervals.size() - static_cast<std::size_t>(below)});
  }
  return ranges;
}

}  // namespace kgrade
