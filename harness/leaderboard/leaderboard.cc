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
auto candidate_of(const Record& record) {
  return std::tuple(std::string_view(record.problem_slug), record.dtype, device_model(record.device),
                    std::string_view(record.candidate().path));
}
// Of these the newest comes last.
auto result_of(const Record& record) {
  return std::tuple_cat(candidate_of(record), std::tie(record.started_at, record.candidate().sha256));
}

std::string id_of(const Record& record) {
  // Line breaks keep "a" and "bc" apart from "ab" and "c".
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}", record.problem_slug, to_string(record.dtype),
                                device_model(record.device), record.candidate().path))
      .substr(0, 12);
}

LeaderboardRow row_of(std::vector<Record> results) {
  LeaderboardRow row;
  row.newest = std::move(results.back());
  results.pop_back();
  row.earlier = std::move(results);
  row.id = id_of(row.newest);
  row.solution = std::filesystem::path(row.newest.candidate().path).stem().string();
  return row;
}

void sort_and_unite(std::vector<Record>& records) {
  const auto before = [](const Record& a, const Record& b) {
    return std::tuple_cat(result_of(a), std::tie(a.read_from.file)) <
           std::tuple_cat(result_of(b), std::tie(b.read_from.file));
  };
  const auto same = [](const Record& a, const Record& b) { return result_of(a) == result_of(b); };
  std::sort(records.begin(), records.end(), before);
  records.erase(std::unique(records.begin(), records.end(), same), records.end());
}

std::vector<LeaderboardRow> rows_of(std::vector<Record> sorted) {
  std::vector<LeaderboardRow> rows;
  std::vector<Record> results;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    results.push_back(std::move(sorted[i]));
    if (i + 1 < sorted.size() && candidate_of(results.front()) == candidate_of(sorted[i + 1])) continue;
    rows.push_back(row_of(std::move(results)));
    results.clear();
  }
  return rows;
}

std::vector<LeaderboardDevice> devices_of(const std::vector<Record>& records) {
  std::map<std::string, LeaderboardDevice> devices;
  std::map<std::string, std::string> newest;
  for (const Record& record : records) {
    LeaderboardDevice& device = devices[record.device.name];
    device.name = record.device.name;
    device.kind = record.device.kind;
    device.times_are_speed = device.times_are_speed || record.device.measures_speed;
    if (record.ceilings && record.started_at >= newest[record.device.name]) {
      device.ceilings = record.ceilings;
      newest[record.device.name] = record.started_at;
    }
  }
  std::vector<LeaderboardDevice> sorted;
  for (auto& [name, device] : devices) sorted.push_back(std::move(device));
  return sorted;
}

}  // namespace

bool LeaderboardRow::changed_before(std::size_t result) const {
  const auto version = [this](std::size_t i) -> const std::string& {
    return i < earlier.size() ? earlier[i].candidate().sha256 : newest.candidate().sha256;
  };
  return result > 0 && version(result) != version(result - 1);
}

const Score* score_against(const Record& record, std::string_view against) {
  const auto found = std::find_if(record.candidate().scores.begin(), record.candidate().scores.end(),
                                  [against](const Score& score) { return score.against == against; });
  return found == record.candidate().scores.end() ? nullptr : &*found;
}

Leaderboard make_leaderboard(std::vector<Record> records) {
  Leaderboard leaderboard;
  name_candidates(records);
  sort_and_unite(records);
  leaderboard.measurements = records.size();
  for (const Record& record : records) leaderboard.newest = std::max(leaderboard.newest, record.started_at);
  leaderboard.devices = devices_of(records);
  leaderboard.suites = suites_of(records);
  std::vector<LeaderboardRow> measured;
  for (LeaderboardRow& row : rows_of(std::move(records))) {
    const bool speed =
        row.newest.candidate().verdict == Verdict::accepted && row.newest.device.measures_speed;
    (speed ? measured : leaderboard.unmeasured).push_back(std::move(row));
  }
  leaderboard.boards = boards_of(std::move(measured));
  return leaderboard;
}

}  // namespace kgrade
