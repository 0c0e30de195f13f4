#include "leaderboard/leaderboard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "measure/baselines.h"
#include "measure/speedup.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

fs::path joined(std::vector<fs::path>::const_iterator begin, std::vector<fs::path>::const_iterator end) {
  fs::path path;
  for (; begin != end; ++begin) path /= *begin;
  return path;
}

// The short name of a path outside the working folder.
fs::path short_name(const fs::path& path, const std::string& slug) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  if (const std::string run = folder_of_run(path); !run.empty() && read_candidate_name(path).sample) {
    const auto from = std::find(parts.rbegin() + 1, parts.rend(), fs::path(run)).base() - 1;
    return joined(from, parts.end());
  }
  auto folder = std::find(parts.rbegin() + 1, parts.rend(), fs::path(slug)).base();
  if (folder == parts.begin()) return fs::path(slug) / parts.back();
  --folder;
  if (folder != parts.begin() && *(folder - 1) == "solutions") --folder;
  return joined(folder, parts.end());
}

fs::path below_common(const fs::path& path, const std::set<fs::path>& paths, const std::string& slug) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  // The last part of a path does not count as common.
  const fs::path first = paths.begin()->parent_path();
  const fs::path last = paths.rbegin()->parent_path();
  const auto end = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  return fs::path(slug) / joined(parts.begin() + std::distance(first.begin(), end), parts.end());
}

// File of results, problem, element type, device and short name.
using NameKey = std::tuple<fs::path, std::string, Dtype, std::string, fs::path>;

NameKey key_of(const Record& record, const fs::path& path) {
  return {record.read_from.file, record.problem_slug, record.dtype, std::string(device_model(record.device)),
          short_name(path, record.problem_slug)};
}

// The key of a candidate on one problem and device, whatever its file contains.
auto candidate_of(const Record& record) {
  return std::tuple(std::string_view(record.problem_slug), record.dtype, device_model(record.device),
                    std::string_view(record.candidate().path));
}
// Orders rows that have no speed, accepted ones first.
auto order_without_speed(const Record& record) {
  return std::tuple(std::string_view(record.problem_slug), record.dtype, device_model(record.device),
                    record.candidate().verdict != Verdict::accepted);
}
// Orders the results of a candidate. The newest comes last.
auto result_of(const Record& record) {
  return std::tuple_cat(candidate_of(record), std::tie(record.started_at, record.candidate().sha256));
}

// Python files have slugs of their names, so that different problems may have the same one. If they do, their
// records get slugs with the beginning of the problem's digest. A file that was edited stays one problem.
void tell_problems_apart(std::vector<Record>& records) {
  const auto path_of = [](const Record& record) -> const std::string& {
    return record.problem_path.empty() ? record.reference.path : record.problem_path;
  };
  const auto is_file = [](const Record& record) {
    return record.reference.is_pytorch() && !record.inputs &&
           record.problem_sha256 == record.reference.sha256;
  };
  using Named = std::pair<std::string, std::string>;  // slug, and path or digest
  std::map<Named, std::string> of_path;               // the digest of a path's first record
  std::map<Named, std::string> of_digest;             // the first digest of the problem with this one
  std::map<std::string, std::set<std::string>> problems;
  const auto problem_of = [&](const Record& record) -> std::string& {
    const std::string& first =
        of_path.try_emplace({record.problem_slug, path_of(record)}, record.problem_sha256).first->second;
    return of_digest.try_emplace({record.problem_slug, record.problem_sha256}, first).first->second;
  };
  for (const Record& record : records)
    if (is_file(record)) problems[record.problem_slug].insert(problem_of(record));
  for (Record& record : records)
    if (is_file(record) && problems[record.problem_slug].size() > 1)
      record.problem_slug += "-" + problem_of(record).substr(0, 8);
}

// The record's own path, and the paths of its neighbours.
std::vector<std::string*> paths_in(Record& record) {
  std::vector<std::string*> paths = {&record.candidate().path};
  for (Neighbour& neighbour : record.candidate().neighbours) paths.push_back(&neighbour.path);
  return paths;
}

LeaderboardRow row_of(std::vector<Record> results) {
  LeaderboardRow row;
  for (Record& record : results) {
    const bool is_new =
        !row.earlier.empty() && row.earlier.back().candidate().sha256 != record.candidate().sha256;
    row.earlier.emplace_back(std::move(record)).is_new_version = is_new;
  }
  row.newest = std::move(row.earlier.back());
  row.earlier.pop_back();
  // Line breaks separate the parts, so that "a" and "bc" differ from "ab" and "c".
  row.id = sha256_hex(fmt::format("{}\n{}\n{}\n{}", row.newest.problem_slug, to_string(row.newest.dtype),
                                  device_model(row.newest.device), row.newest.candidate().path))
               .substr(0, 12);
  row.solution = solution_of(row.newest.candidate().path, row.newest.problem_slug);
  return row;
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

const Score* score_against(const Record& record, std::string_view against) {
  const bool is_eager = against == eager_baseline && record.reference.is_pytorch();
  const auto find = [&](const std::vector<Score>& scores) -> const Score* {
    for (const Score& score : scores) {
      if (score.against == against || (is_eager && score.against == against_reference)) return &score;
    }
    return nullptr;
  };
  const Score* const found = find(record.candidate().scores);
  // If the reference is of a better class than the answers, the speedup over it does not count.
  return found != nullptr || against == against_reference ? found : find(record.candidate().by_baseline);
}

Result<bool> keep_suites_against(Leaderboard& leaderboard, const std::string& against) {
  std::set<std::string> known;
  for (const Suite& suite : leaderboard.suites) known.insert(suite.against);
  if (known.count(against) == 0) {
    return Error{fmt::format("--against: nothing here was compared with '{}'", against),
                 known.empty() ? "grade on a GPU: there is no speed here"
                               : fmt::format("name one of {}", fmt::join(known, ", ")),
                 {}};
  }
  leaderboard.against = against;
  std::erase_if(leaderboard.suites, [&](const Suite& suite) { return suite.against != against; });
  return true;
}

void name_candidates(std::vector<Record>& records) {
  const auto is_elsewhere = [](const fs::path& path) { return path.is_absolute() || *path.begin() == ".."; };
  std::map<NameKey, std::set<fs::path>> elsewhere;
  for (Record& record : records) {
    for (std::string* const path : paths_in(record)) {
      *path = fs::path(*path).lexically_normal().generic_string();
      if (!path->empty() && is_elsewhere(*path)) elsewhere[key_of(record, *path)].insert(*path);
    }
  }
  for (Record& record : records) {
    for (std::string* const path : paths_in(record)) {
      if (path->empty() || !is_elsewhere(*path)) continue;
      const NameKey key = key_of(record, *path);
      const std::set<fs::path>& paths = elsewhere.at(key);
      const fs::path name =
          paths.size() == 1 ? std::get<4>(key) : below_common(*path, paths, record.problem_slug);
      *path = name.generic_string();
    }
  }
}

Leaderboard make_leaderboard(std::vector<Record> records) {
  Leaderboard leaderboard;
  name_candidates(records);
  tell_problems_apart(records);
  const auto before = [](const Record& a, const Record& b) {
    return std::tuple_cat(result_of(a), std::tie(a.read_from.file)) <
           std::tuple_cat(result_of(b), std::tie(b.read_from.file));
  };
  const auto same = [](const Record& a, const Record& b) { return result_of(a) == result_of(b); };
  std::sort(records.begin(), records.end(), before);
  records.erase(std::unique(records.begin(), records.end(), same), records.end());
  // Older records have comparisons with each baseline, but no scores from them.
  for (Record& record : records) {
    CandidateRecord& candidate = record.candidate();
    if (candidate.by_baseline.empty() && candidate.verdict == Verdict::accepted)
      candidate.by_baseline = scores_by_baseline(candidate.cases);
  }
  leaderboard.measurements = records.size();
  for (const Record& record : records) leaderboard.newest = std::max(leaderboard.newest, record.started_at);
  leaderboard.devices = devices_of(records);
  leaderboard.suites = suites_of(records);
  std::vector<LeaderboardRow> measured;
  std::vector<Record> results;  // of one candidate
  for (std::size_t i = 0; i < records.size(); ++i) {
    results.push_back(std::move(records[i]));
    if (i + 1 < records.size() && candidate_of(results.front()) == candidate_of(records[i + 1])) continue;
    LeaderboardRow row = row_of(std::exchange(results, {}));
    const bool speed =
        row.newest.candidate().verdict == Verdict::accepted && row.newest.device.measures_speed;
    if (speed) {
      measured.push_back(std::move(row));
    } else {
      leaderboard.unmeasured.push_back({std::move(row)});
    }
  }
  // An accepted candidate may still get a speed, so it comes before its problem's refused ones.
  std::stable_sort(leaderboard.unmeasured.begin(), leaderboard.unmeasured.end(),
                   [](const LeaderboardRow& a, const LeaderboardRow& b) {
                     return order_without_speed(a.newest) < order_without_speed(b.newest);
                   });
  leaderboard.boards = boards_of(std::move(measured));
  leaderboard.runs = sampled_runs(newest_records(leaderboard));
  return leaderboard;
}

std::vector<const Record*> newest_records(const Leaderboard& leaderboard) {
  std::vector<const Record*> records;
  for (const Board& board : leaderboard.boards) {
    for (const LeaderboardRow& row : board.rows) records.push_back(&row.newest);
  }
  for (const LeaderboardRow& row : leaderboard.unmeasured) records.push_back(&row.newest);
  return records;
}

}  // namespace kgrade
