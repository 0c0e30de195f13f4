#include "leaderboard/leaderboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "leaderboard/boards.h"
#include "leaderboard/names.h"
#include "leaderboard/suites.h"

namespace kgrade {
namespace {

// One candidate on one problem and device, whatever has stood in its file.
auto candidate_of(const Entry& entry) {
  return std::tuple(std::string_view(entry.slug), entry.dtype, entry.device_model(),
                    std::string_view(entry.path));
}
// Of these the newest comes last.
auto result_of(const Entry& entry) {
  return std::tuple_cat(candidate_of(entry), std::tie(entry.started_at, entry.sha256));
}

std::string id_of(const Entry& entry) {
  // Line breaks keep "a" and "bc" apart from "ab" and "c".
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}", entry.slug, to_string(entry.dtype), entry.device_model(),
                                entry.path))
      .substr(0, 12);
}

LeaderboardRow row_of(std::vector<Entry> results) {
  LeaderboardRow row;
  row.newest = std::move(results.back());
  results.pop_back();
  row.earlier = std::move(results);
  row.id = id_of(row.newest);
  row.solution = std::filesystem::path(row.newest.path).stem().string();
  return row;
}

void sort_and_unite(std::vector<Entry>& entries) {
  const auto before = [](const Entry& a, const Entry& b) {
    return std::tuple_cat(result_of(a), std::tie(a.file)) < std::tuple_cat(result_of(b), std::tie(b.file));
  };
  const auto same = [](const Entry& a, const Entry& b) { return result_of(a) == result_of(b); };
  std::sort(entries.begin(), entries.end(), before);
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

std::vector<LeaderboardRow> rows_of(std::vector<Entry> sorted) {
  std::vector<LeaderboardRow> rows;
  std::vector<Entry> results;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    results.push_back(std::move(sorted[i]));
    if (i + 1 < sorted.size() && candidate_of(results.front()) == candidate_of(sorted[i + 1])) continue;
    rows.push_back(row_of(std::move(results)));
    results.clear();
  }
  return rows;
}

std::vector<LeaderboardDevice> devices_of(const std::vector<Entry>& entries) {
  std::map<std::string, LeaderboardDevice> devices;
  std::map<std::string, std::string> newest;
  for (const Entry& entry : entries) {
    LeaderboardDevice& device = devices[entry.device];
    device.name = entry.device;
    device.kind = entry.device_kind;
    device.times_are_speed = device.times_are_speed || entry.times_are_speed;
    if (entry.ceilings && entry.started_at >= newest[entry.device]) {
      device.ceilings = entry.ceilings;
      newest[entry.device] = entry.started_at;
    }
  }
  std::vector<LeaderboardDevice> sorted;
  for (auto& [name, device] : devices) sorted.push_back(std::move(device));
  return sorted;
}

}  // namespace

bool LeaderboardRow::changed_before(std::size_t result) const {
  const auto version = [this](std::size_t i) -> const std::string& {
    return i < earlier.size() ? earlier[i].sha256 : newest.sha256;
  };
  return result > 0 && version(result) != version(result - 1);
}

const Score* score_against(const Entry& entry, std::string_view against) {
  const auto found = std::find_if(entry.scores.begin(), entry.scores.end(),
                                  [against](const Score& score) { return score.against == against; });
  return found == entry.scores.end() ? nullptr : &*found;
}

Leaderboard make_leaderboard(std::vector<Entry> entries) {
  Leaderboard leaderboard;
  name_candidates(entries);
  sort_and_unite(entries);
  leaderboard.measurements = entries.size();
  for (const Entry& entry : entries) leaderboard.newest = std::max(leaderboard.newest, entry.started_at);
  leaderboard.devices = devices_of(entries);
  leaderboard.suites = suites_of(entries);
  std::vector<LeaderboardRow> measured;
  for (LeaderboardRow& row : rows_of(std::move(entries))) {
    const bool speed = row.newest.verdict == Verdict::accepted && row.newest.times_are_speed;
    (speed ? measured : leaderboard.unmeasured).push_back(std::move(row));
  }
  leaderboard.boards = boards_of(std::move(measured));
  return leaderboard;
}

}  // namespace kgrade
