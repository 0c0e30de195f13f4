#include "serve/boards.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "leaderboard/ranking.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::optional<double> number(const OrderedJson& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::string text(const OrderedJson& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

void Boards::add(const GradeJob& job, const OrderedJson& view) {
  const auto board = view.find("board");
  if (board == view.end() || !board->is_object()) return;  // results of earlier versions have none
  Entry entry{job.id,
              job.owner,
              text(view, "candidate"),
              text(*board, "name"),
              text(view, "problem_sha256"),
              job.submitted_at,
              number(*board, "speedup"),
              std::nullopt};
  const auto low = number(*board, "speedup_low"), high = number(*board, "speedup_high");
  if (low && high) entry.interval = Interval{*low, *high};
  by_slug_[text(view, "problem")][job.id] = std::move(entry);
}

void Boards::forget(const std::string& id) {
  for (auto& [slug, entries] : by_slug_) entries.erase(id);
}

bool Boards::Entry::is_better_than(const Entry& other) const {
  // Only intervals can be ranked. Without speed, the first one counts.
  return std::tuple(interval.has_value(), speedup.value_or(0), -sent_at) >
         std::tuple(other.interval.has_value(), other.speedup.value_or(0), -other.sent_at);
}

answers::BoardEntry Boards::Entry::answer(bool is_own) const {
  const auto own = [is_own](const std::string& said) { return is_own ? std::optional(said) : std::nullopt; };
  answers::Speedup known{speedup, std::nullopt, std::nullopt};
  if (interval) known.low = interval->low;
  if (interval) known.high = interval->high;
  return {rank, owner, is_own, own(candidate), own(id), known, own(iso_time(sent_at))};
}

// The rule of `kgrade leaderboard`: 1 + the number of intervals that are wholly above.
void Boards::rank(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.is_better_than(b); });
  std::vector<Interval> intervals;
  for (const Entry& entry : entries) {
    if (entry.interval) intervals.push_back(*entry.interval);
  }
  const std::vector<RankRange> ranges = rank_ranges(intervals);
  for (std::size_t i = 0; i < ranges.size(); ++i) entries[i].rank = ranges[i].best;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.rank.value_or(SIZE_MAX) < b.rank.value_or(SIZE_MAX);
  });
}

answers::Boards Boards::of(const std::string& slug, const Problem& problem, const std::string& owner,
                           bool shows_others) const {
  // By board, owner and name. Of others, only the best counts, whatever its name.
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
