#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "leaderboard/leaderboard.h"
#include "measure/baselines.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

// The work of a result: the cases that it has measured, and the state of the cache.
using Work = std::pair<std::vector<BoardCase>, std::string>;

Work work_of(const Record& record) {
  std::vector<BoardCase> cases;
  for (const CaseRecord* c : compared_cases(record.candidate()))
    cases.push_back({c->name, c->flops, c->tensor_bytes});
  std::sort(cases.begin(), cases.end());
  return {cases, cache_text(record.candidate())};
}

constexpr const char* other_class =
    "the reference is of a better class, so the speedup over it does not count";

// The reason, from this record alone, why it cannot be ranked. Empty if it can.
std::string why_unranked(const Record& record) {
  const Score* score = score_against(record, against_reference);
  if (score == nullptr) score = record.candidate().headline();
  if (compared_cases(record.candidate()).empty()) return "no speed was measured";
  if (score == nullptr) return other_class;
  if (!score->speedup.interval) {
    return record.effort == Effort::quick ? "--quick gives no interval"
                                          : "its speedup has no interval: too few samples";
  }
  return "";
}

// The work with the most cases counts. If several have equally many cases, the newest counts.
Work work_of_board(const std::vector<LeaderboardRow>& rows) {
  const Record* chosen = nullptr;
  for (const LeaderboardRow& row : rows) {
    const Record& record = row.newest;
    if (!why_unranked(record).empty()) continue;
    // Prefer cold to warm, because cold is the default.
    const auto order = [](const Record& e) {
      return std::tuple(compared_cases(e.candidate()).size(), cache_text(e.candidate()) != "warm",
                        std::string_view(e.started_at), std::string_view(e.candidate().path));
    };
    if (chosen == nullptr || order(*chosen) < order(record)) chosen = &record;
  }
  return chosen == nullptr ? Work{} : work_of(*chosen);
}

void rank_rows(const std::vector<LeaderboardRow*>& rows, std::string_view against) {
  std::vector<Interval> intervals;
  for (const LeaderboardRow* row : rows) {
    intervals.push_back(*score_against(row->newest, against)->speedup.interval);
  }
  const std::vector<RankRange> ranges = rank_ranges(intervals);
  std::map<std::size_t, int> with_rank;
  for (const RankRange& range : ranges) ++with_rank[range.best];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->rank = ranges[i];
    rows[i]->tied = with_rank[ranges[i].best] > 1;
  }
}

// The rows that have measured the work of the board.
std::vector<LeaderboardRow*> rows_of_work(Board& board, const Work& work) {
  std::vector<LeaderboardRow*> chosen;
  for (LeaderboardRow& row : board.rows) {
    row.unranked_because = why_unranked(row.newest);
    if (!row.unranked_because.empty()) continue;
    const Work own = work_of(row.newest);
    if (own == work) {
      chosen.push_back(&row);
    } else {
      row.unranked_because = own.second == work.second ? "measured on other cases than the board's"
                                                       : "measured with a " + own.second + " cache";
    }
  }
  return chosen;
}

// Speedups over different references cannot be compared. Only those over the newest reference count.
void leave_out_other_references(std::vector<LeaderboardRow*>& rows) {
  const auto newest = std::max_element(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return std::tie(a->newest.started_at, a->newest.reference.sha256) <
           std::tie(b->newest.started_at, b->newest.reference.sha256);
  });
  const std::string reference = (*newest)->newest.reference.sha256;
  std::erase_if(rows, [&reference](LeaderboardRow* row) {
    if (row->newest.reference.sha256 == reference) return false;
    row->unranked_because = "measured against another version of the reference";
    return true;
  });
}

void rank_board(Board& board) {
  const Work work = work_of_board(board.rows);
  std::vector<LeaderboardRow*> ranked = rows_of_work(board, work);
  if (ranked.empty()) return;
  const bool with_baseline = std::all_of(ranked.begin(), ranked.end(), [](const LeaderboardRow* row) {
    const Score* score = score_against(row->newest, against_baseline);
    return score != nullptr && score->speedup.interval.has_value();
  });
  std::erase_if(ranked, [&](LeaderboardRow* row) {
    if (with_baseline || score_against(row->newest, against_reference) != nullptr) return false;
    row->unranked_because = other_class;
    return true;
  });
  if (ranked.empty()) return;
  if (!with_baseline) leave_out_other_references(ranked);
  board.against = with_baseline ? against_baseline : against_reference;
  std::set<std::string> baselines;
  for (const LeaderboardRow* row : ranked) {
    for (const CaseRecord* c : compared_cases(row->newest.candidate()))
      if (with_baseline && c->speedups.size() > 1) baselines.insert(c->headline()->against);
  }
  board.baselines.assign(baselines.begin(), baselines.end());
  std::tie(board.cases, board.cache) = work;
  rank_rows(ranked, board.against);
}

// Sorts ranked rows by rank, then by speedup.
void sort_rows(Board& board) {
  const auto key = [&board](const LeaderboardRow& row) {
    const Score* score = row.rank ? score_against(row.newest, board.against) : nullptr;
    return std::tuple(!row.rank.has_value(), row.rank ? row.rank->best : 0,
                      score != nullptr ? -score->speedup.geometric_mean : 0,
                      std::string_view(row.newest.candidate().path),
                      std::string_view(row.newest.candidate().sha256));
  };
  std::sort(board.rows.begin(), board.rows.end(),
            [&key](const LeaderboardRow& a, const LeaderboardRow& b) { return key(a) < key(b); });
}

// Orders rows that share a rank. The highest speedup comes first, but a row that was slower than another in
// the same blocks comes after it. The next row is always the first one for which no faster row is left. If
// each remaining row is slower than another, the next row is the first one with the fewest faster rows left.
void order_by_blocks(std::span<LeaderboardRow> rows) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i].newest.candidate().path] = i;
  std::vector<std::size_t> faster_left(rows.size());
  std::vector<std::vector<std::size_t>> slower_than(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Neighbour& neighbour : rows[i].newest.candidate().neighbours) {
      const auto place = places.find(neighbour.path);
      if (place == places.end() || statement_of(neighbour.speedup.interval, 0) != Statement::slower) continue;
      if (neighbour_in(rows[i].newest, rows[place->second].newest) != &neighbour) continue;
      ++faster_left[i];
      slower_than[place->second].push_back(i);
    }
  }
  std::set<std::pair<std::size_t, std::size_t>> left;
  for (std::size_t i = 0; i < rows.size(); ++i) left.insert({faster_left[i], i});
  std::vector<LeaderboardRow> ordered;
  while (!left.empty()) {
    const std::size_t next = left.extract(left.begin()).value().second;
    for (const std::size_t i : slower_than[next]) {
      if (left.erase({faster_left[i], i}) > 0) left.insert({--faster_left[i], i});
    }
    ordered.push_back(std::move(rows[next]));
  }
  std::move(ordered.begin(), ordered.end(), rows.begin());
}

// The newest result for each solution and problem.
using Newest = std::map<std::string, std::map<std::string, const Record*>>;
// Device, element type, whether results are of modules, and the state of the cache.
using DeviceAndType = std::tuple<std::string, Dtype, bool, std::string>;

std::map<DeviceAndType, Newest> newest_by_device(const std::vector<Record>& records) {
  std::map<DeviceAndType, Newest> devices;
  for (const Record& record : records) {
    if (!record.device.measures_speed) continue;
    const std::string solution = solution_of(record.candidate().path, record.problem_slug);
    const std::string cache = cache_text(record.candidate());
    const auto order = [](const Record& e) {
      return std::tie(e.started_at, e.candidate().path, e.candidate().sha256);
    };
    // A result without a speed counts as a failed answer for both states of the cache.
    for (const char* const state : {"cold", "warm"}) {
      if (!cache.empty() && cache != state) continue;
      const Record*& newest = devices[{record.device.name, record.dtype, record.candidate().is_module(),
                                       state}][solution][record.problem_slug];
      if (newest == nullptr || order(*newest) < order(record)) newest = &record;
    }
  }
  return devices;
}

const Score* score_in(const Record& record, Precision precision, std::string_view against) {
  if (record.candidate().verdict != Verdict::accepted || record.candidate().precision != precision)
    return nullptr;
  return score_against(record, against);
}

std::set<std::string> problems_of(const Newest& newest, Precision precision, std::string_view against) {
  std::set<std::string> problems;
  for (const auto& [solution, by_problem] : newest) {
    for (const auto& [problem, record] : by_problem) {
      // A problem accepts better classes than its own. The exception is `exact`, which only exact problems
      // accept.
      const Precision required = record->required_precision;
      const bool is_allowed =
          precision == required || (precision < required && precision != Precision::exact);
      const bool counts =
          against == against_reference ? is_allowed : score_in(*record, precision, against) != nullptr;
      if (counts) problems.insert(problem);
    }
  }
  return problems;
}

std::set<std::string> degenerate_of(const Newest& newest, const std::set<std::string>& problems) {
  std::set<std::string> degenerate;
  for (const auto& [solution, by_problem] : newest) {
    for (const auto& [problem, record] : by_problem) {
      const std::vector<CaseRecord>& cases = record->candidate().cases;
      const bool is_degenerate = std::any_of(cases.begin(), cases.end(),
                                             [](const CaseRecord& c) { return !c.hardly_depends.empty(); });
      if (problems.contains(problem) && is_degenerate) degenerate.insert(problem);
    }
  }
  return degenerate;
}

SuiteRow row_of(const std::string& solution, const std::map<std::string, const Record*>& by_problem,
                const std::set<std::string>& problems, const std::set<std::string>& degenerate,
                Precision precision, std::string_view against) {
  SuiteRow row;
  row.solution = solution;
  std::vector<SpeedRatio> ratios;
  std::vector<std::optional<double>> speedups;
  std::vector<std::optional<double>> of_others;
  for (const std::string& problem : problems) {
    const auto found = by_problem.find(problem);
    const Score* score = found == by_problem.end() ? nullptr : score_in(*found->second, precision, against);
    speedups.push_back(score == nullptr ? std::nullopt : std::optional(score->speedup.geometric_mean));
    if (!degenerate.contains(problem)) of_others.push_back(speedups.back());
    if (score == nullptr) continue;
    SpeedRatio ratio;
    ratio.ratio = score->speedup.geometric_mean;
    ratio.interval = score->speedup.interval;
    ratios.push_back(ratio);
    row.speedups.push_back(ratio.ratio);
  }
  row.accepted = ratios.size();
  row.score = suite_score(ratios);
  std::sort(row.speedups.rbegin(), row.speedups.rend());
  for (const double p : fast_p_thresholds) row.fast_p[p] = fast_p(speedups, p);
  if (degenerate.empty() || of_others.empty()) return row;
  for (const double p : fast_p_thresholds) row.fast_p_without_degenerate[p] = fast_p(of_others, p);
  return row;
}

void sort_rows(std::vector<SuiteRow>& rows) {
  const auto key = [](const SuiteRow& row) {
    return std::tuple(-row.fast_p.at(1), -static_cast<double>(row.accepted), -row.score.geometric_mean,
                      std::string_view(row.solution));
  };
  std::sort(rows.begin(), rows.end(),
            [&key](const SuiteRow& a, const SuiteRow& b) { return key(a) < key(b); });
}

// The opponents: the reference, the fastest baseline, then each baseline by its name.
std::vector<std::string> compared_with(const Newest& newest) {
  std::set<std::string> names;
  for (const auto& [solution, by_problem] : newest) {
    for (const auto& [problem, record] : by_problem) {
      for (const Score& score : record->candidate().by_baseline) names.insert(score.against);
      names.erase(std::string(against_reference));
      if (record->reference.is_pytorch()) names.insert(std::string(eager_baseline));
    }
  }
  std::vector<std::string> all = {std::string(against_reference), std::string(against_baseline)};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

Suite suite_of(const DeviceAndType& where, const Newest& newest, Precision precision,
               std::string_view against) {
  Suite suite;
  std::tie(suite.device, suite.dtype, suite.modules, suite.cache) = where;
  suite.precision = precision;
  suite.against = against;
  const std::set<std::string> problems = problems_of(newest, precision, against);
  suite.problems = problems.size();
  const std::set<std::string> degenerate = degenerate_of(newest, problems);
  suite.degenerate.assign(degenerate.begin(), degenerate.end());
  for (const auto& [solution, by_problem] : newest) {
    SuiteRow row = row_of(solution, by_problem, problems, degenerate, precision, against);
    if (row.accepted > 0) suite.rows.push_back(std::move(row));
  }
  sort_rows(suite.rows);
  return suite;
}

}  // namespace

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

std::vector<Board> boards_of(std::vector<LeaderboardRow> rows) {
  using Key = std::tuple<std::string, Dtype, std::string, Precision, bool>;
  std::map<Key, Board> boards;
  for (LeaderboardRow& row : rows) {
    const Record& record = row.newest;
    const Key key(record.problem_slug, record.dtype, record.device.name, record.candidate().precision,
                  record.candidate().is_module());
    Board& board = boards[key];
    std::tie(board.slug, board.dtype, board.device, board.precision, board.modules) = key;
    board.rows.push_back(std::move(row));
  }
  std::vector<Board> sorted;
  for (auto& [key, board] : boards) {
    const auto newest =
        std::max_element(board.rows.begin(), board.rows.end(), [](const auto& a, const auto& b) {
          return std::tie(a.newest.started_at, a.newest.problem_title) <
                 std::tie(b.newest.started_at, b.newest.problem_title);
        });
    board.title = newest->newest.problem_title;
    rank_board(board);
    sort_rows(board);
    for (auto first = board.rows.begin(); first != board.rows.end() && first->rank;) {
      const auto end = std::find_if(first, board.rows.end(), [&first](const LeaderboardRow& row) {
        return !row.rank || row.rank->best != first->rank->best;
      });
      order_by_blocks({first, end});
      first = end;
    }
    sorted.push_back(std::move(board));
  }
  return sorted;
}

std::vector<Suite> suites_of(const std::vector<Record>& records) {
  std::vector<Suite> suites;
  for (const auto& [where, newest] : newest_by_device(records)) {
    for (const Precision precision : {Precision::exact, Precision::fp32, Precision::tf32, Precision::bf16}) {
      for (const std::string& against : compared_with(newest)) {
        Suite suite = suite_of(where, newest, precision, against);
        if (!suite.rows.empty()) suites.push_back(std::move(suite));
      }
    }
  }
  return suites;
}

}  // namespace kgrade
