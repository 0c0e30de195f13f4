#include "leaderboard/boards.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kgrade {
namespace {

// What was measured: by the cases, and by the state of the cache.
using Work = std::pair<std::vector<BoardCase>, std::string>;

Work work_of(const Record& record) {
  std::vector<BoardCase> cases;
  for (const CaseRecord* c : compared_cases(record.candidate()))
    cases.push_back({c->name, c->flops, c->tensor_bytes});
  std::sort(cases.begin(), cases.end());
  return {cases, cache_text(record.candidate())};
}

// Empty: it can be ranked as far as it alone is concerned.
std::string why_unranked(const Record& record) {
  const Score* score = score_against(record, against_reference);
  if (compared_cases(record.candidate()).empty() || score == nullptr) return "no speed was measured";
  if (!score->speedup.interval) return "its speedup has no interval: too few samples";
  return "";
}

// The work of most cases counts, before others with as many the one that is newest.
Work work_of_board(const std::vector<LeaderboardRow>& rows) {
  const Record* chosen = nullptr;
  for (const LeaderboardRow& row : rows) {
    const Record& record = row.newest;
    if (!why_unranked(record).empty()) continue;
    // Cold before warm: cold is the default.
    const auto order = [](const Record& e) {
      return std::tuple(compared_cases(e.candidate()).size(), cache_text(e.candidate()) != "warm",
                        std::string_view(e.started_at), std::string_view(e.candidate().path));
    };
    if (chosen == nullptr || order(*chosen) < order(record)) chosen = &record;
  }
  return chosen == nullptr ? Work{} : work_of(*chosen);
}

bool has_baseline(const LeaderboardRow* row) {
  const Score* score = score_against(row->newest, against_baseline);
  return score != nullptr && score->speedup.interval.has_value();
}

std::vector<std::string> baselines_of(const std::vector<LeaderboardRow*>& ranked) {
  std::set<std::string> names;
  for (const LeaderboardRow* row : ranked) {
    for (const CaseRecord* c : compared_cases(row->newest.candidate())) {
      if (c->speedups.size() > 1) names.insert(c->headline()->against);
    }
  }
  return {names.begin(), names.end()};
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

// Those that have measured what the board compares.
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

// Speedups against different references cannot be compared: those against the newest one count.
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
  const bool with_baseline = std::all_of(ranked.begin(), ranked.end(), has_baseline);
  if (!with_baseline) leave_out_other_references(ranked);
  board.against = with_baseline ? against_baseline : against_reference;
  if (with_baseline) board.baselines = baselines_of(ranked);
  std::tie(board.cases, board.cache) = work;
  rank_rows(ranked, board.against);
}

// Ranked rows by rank, then by speedup.
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

Board board_of(const Record& record) {
  Board board;
  board.slug = record.problem_slug;
  board.dtype = record.dtype;
  board.device = record.device.name;
  board.precision = record.candidate().precision;
  return board;
}

// As the newest of its rows has it.
std::string title_of(const Board& board) {
  const auto newest =
      std::max_element(board.rows.begin(), board.rows.end(), [](const auto& a, const auto& b) {
        return std::tie(a.newest.started_at, a.newest.problem_title) <
               std::tie(b.newest.started_at, b.newest.problem_title);
      });
  return newest->newest.problem_title;
}

}  // namespace

std::vector<Board> boards_of(std::vector<LeaderboardRow> rows) {
  using Key = std::tuple<std::string, Dtype, std::string, Precision>;
  std::map<Key, Board> boards;
  for (LeaderboardRow& row : rows) {
    const Record& record = row.newest;
    const Key key(record.problem_slug, record.dtype, record.device.name, record.candidate().precision);
    auto found = boards.find(key);
    if (found == boards.end()) found = boards.emplace(key, board_of(record)).first;
    found->second.rows.push_back(std::move(row));
  }
  std::vector<Board> sorted;
  for (auto& [key, board] : boards) {
    board.title = title_of(board);
    rank_board(board);
    sort_rows(board);
    sorted.push_back(std::move(board));
  }
  return sorted;
}

}  // namespace kgrade
