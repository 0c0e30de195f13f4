#include "leaderboard/page_rows.h"

#include <algorithm>
#include <tuple>

#include "base/statistics.h"

namespace kgrade {
namespace {

void add_totals(PageRow& page_row) {
  bool all_say = true;
  std::vector<double> shares;
  for (const CaseRecord* c : compared_cases(page_row.row->newest.candidate())) {
    page_row.total_ms += c->candidate().summary.median;
    page_row.total_bytes += static_cast<double>(c->tensor_bytes);
    page_row.total_flops += static_cast<double>(c->flops.value_or(0));
    all_say = all_say && c->flops.has_value();
    if (const double share = c->roofline ? c->roofline->shares.back() : 0; share > 0) shares.push_back(share);
  }
  if (!all_say) page_row.total_flops = 0;
  if (shares.size() == compared_cases(page_row.row->newest.candidate()).size())
    page_row.share = geometric_mean(shares);
}

PageRow measured_row(const Board& board, const LeaderboardRow& row) {
  PageRow page_row;
  page_row.row = &row;
  page_row.board = &board;
  page_row.precision = board.precision;
  page_row.score = row.rank ? score_against(row.newest, board.against) : row.newest.candidate().headline();
  page_row.reference = score_against(row.newest, against_reference);
  add_totals(page_row);
  return page_row;
}

// By the class that was asked for, so that it shows among those that it meant to join.
PageRow unmeasured_row(const LeaderboardRow& row) {
  PageRow page_row;
  page_row.row = &row;
  const bool accepted = row.newest.candidate().verdict == Verdict::accepted;
  page_row.precision = accepted ? row.newest.candidate().precision : row.newest.required_precision;
  return page_row;
}

}  // namespace

std::vector<PageRow> page_rows(const Leaderboard& leaderboard) {
  std::vector<PageRow> rows;
  for (const Board& board : leaderboard.boards) {
    for (const LeaderboardRow& row : board.rows) rows.push_back(measured_row(board, row));
  }
  for (const LeaderboardRow& row : leaderboard.unmeasured) rows.push_back(unmeasured_row(row));
  const auto key = [](const PageRow& row) {
    const Record& record = row.row->newest;
    return std::tie(record.problem_slug, record.dtype, record.device.name, row.precision);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&key](const PageRow& a, const PageRow& b) { return key(a) < key(b); });
  return rows;
}

}  // namespace kgrade
