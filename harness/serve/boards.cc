#include "serve/boards.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "leaderboard/ranking.h"

namespace kgrade {

void Boards::add(const GradeJob& job, const answers::Grade& view) {
  if (!view.board) return;  // results of earlier versions have no board
  by_slug_[view.problem][job.id] = {job.id,
                                    job.owner,
                                    view.candidate,
                                    view.board->name,
                                    view.problem_sha256.value_or(""),
                                    job.submitted_at,
                                    view.board->speedup};
}

void Boards::forget(const std::string& id) {
  for (auto& [slug, entries] : by_slug_) entries.erase(id);
}

bool Boards::Entry::is_better_than(const Entry& other) const {
  // Only results with an interval can be ranked. Among results without a speed, the first is the best.
  const auto key = [](const Entry& one) {
    return std::tuple(one.speedup.interval().has_value(), one.speedup.speedup.value_or(0), -one.sent_at);
  };
  return key(*this) > key(other);
}

answers::BoardEntry Boards::Entry::answer(bool is_own) const {
  const auto own = [is_own](const std::string& said) { return is_own ? std::optional(said) : std::nullopt; };
  return {rank, owner, is_own, own(candidate), own(id), speedup, own(iso_time(sent_at))};
}

// The rule of `kgrade leaderboard`: 1 + the number of intervals that are wholly above.
void Boards::rank(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.is_better_than(b); });
  std::vector<Interval> intervals;
  for (const Entry& entry : entries) {
    if (const auto interval = entry.speedup.interval()) intervals.push_back(*interval);
  }
  const std::vector<RankRange> ranges = rank_ranges(intervals);
  for (std::size_t i = 0; i < ranges.size(); ++i) entries[i].rank = ranges[i].best;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.rank.value_or(SIZE_MAX) < b.rank.value_or(SIZE_MAX);
  });
}

answers::Boards Boards::of(const std::string& slug, const Problem& problem, const std::string& owner,
                           bool shows_others) const {
  // The best entries by board, owner and name. Of other owners only one entry counts, whatever its name.
  std::map<std::string, std::map<std::pair<std::string, std::string>, Entry>> best;
  static const std::map<std::string, Entry> none;
  const auto at = by_slug_.find(slug);
  const std::map<std::string, Entry>& all = at == by_slug_.end() ? none : at->second;
  for (const auto& [id, entry] : all) {
    const bool is_own = entry.owner == owner;
    // Results of an earlier version of the problem are not comparable.
    if ((!is_own && !shows_others) || entry.problem_sha256 != problem.content_sha256) continue;
    const auto [place, is_new] =
        best[entry.board].try_emplace({entry.owner, is_own ? entry.candidate : ""}, entry);
    if (!is_new && entry.is_better_than(place->second)) place->second = entry;
  }
  answers::Boards answer{slug, shows_others, {}};
  for (const auto& [name, by_candidate] : best) {
    std::vector<Entry> entries;
    for (const auto& [who, entry] : by_candidate) entries.push_back(entry);
    rank(entries);
    answers::Board& board = answer.boards.emplace_back();
    board.name = name;
    for (const Entry& entry : entries) board.entries.push_back(entry.answer(entry.owner == owner));
  }
  return answer;
}

}  // namespace kgrade
