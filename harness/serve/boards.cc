#include "serve/boards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "leaderboard/leaderboard.h"

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

namespace {

std::string figure(const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; }

}  // namespace

void Standings::add(const GradeJob& job, const answers::Grade& view) {
  if (!job.is_contest || !view.verdict) return;
  const answers::GradeBoard board = view.board.value_or(answers::GradeBoard());
  entries_[job.id] = {job.id,
                      job.owner,
                      view.problem,
                      board.name,
                      view.verdict,
                      job.submitted_at,
                      view.figures.precision.value_or(Precision::none),
                      board.speedup};
}

void Standings::forget(const std::string& id) { entries_.erase(id); }

bool Standings::Entry::is_better_than(const Entry& other) const {
  const auto key = [](const Entry& one) {
    // The fastest accepted entry is the best. If accepted entries have no speed, the earliest is the best. If
    // none is accepted, the newest is the best.
    return std::tuple(one.is_accepted(), one.speedup.interval().has_value(), one.speedup.speedup.value_or(0),
                      one.is_accepted() ? -one.sent_at : one.sent_at);
  };
  return key(*this) > key(other);
}

bool Standings::Row::is_better_than(const Row& other) const {
  if (solved != other.solved) return solved > other.solved;
  if (solved == 0) return false;
  if (interval && other.interval) return interval->low > other.interval->high;
  const bool is_without_speed = !speedup && !other.speedup;
  return is_without_speed && last_solved_at < other.last_solved_at;
}

std::vector<Standings::Row> Standings::rows(const View& view) const {
  const Competition& contest = view.contest;
  std::map<std::string, Row> by_owner;
  for (const std::string& owner : view.owners) by_owner[owner].owner = owner;
  for (const auto& [id, entry] : entries_) {
    const ContestProblem* const problem = contest.find(entry.slug);
    // A state folder may hold earlier contests.
    if (problem == nullptr || entry.sent_at < contest.start || entry.sent_at >= contest.end) continue;
    Row& row = by_owner[entry.owner];
    row.owner = entry.owner;
    row.cells.resize(contest.problems.size());
    Cell& cell = row.cells[static_cast<std::size_t>(problem - contest.problems.data())];
    cell.attempts += 1;
    if (entry.is_accepted()) cell.solved_at = std::min(cell.solved_at.value_or(entry.sent_at), entry.sent_at);
    if (cell.counts == nullptr || entry.is_better_than(*cell.counts)) cell.counts = &entry;
  }
  std::vector<Row> rows;
  for (auto& [owner, row] : by_owner) {
    row.cells.resize(contest.problems.size());
    double speed = 0, low = 0, high = 0;  // sums of logarithms
    bool is_measured = true;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      Cell& cell = row.cells[i];
      if (!cell.solved_at) continue;
      row.solved += 1;
      row.last_solved_at = std::max(row.last_solved_at, *cell.solved_at);
      const auto problem = view.problems.find(contest.problems[i].slug);
      const auto interval = cell.counts->speedup.interval();
      cell.has_speed = cell.counts->speedup.speedup && interval && problem != view.problems.end() &&
                       cell.counts->precision <= precision_from(problem->second.precision);
      is_measured = is_measured && cell.has_speed;
      if (!cell.has_speed) continue;
      speed += std::log(*cell.counts->speedup.speedup);
      low += std::log(interval->low);
      high += std::log(interval->high);
    }
    if (row.solved > 0 && is_measured) {
      const auto mean = [count = static_cast<double>(row.solved)](double sum) {
        return std::exp(sum / count);
      };
      row.speedup = mean(speed);
      row.interval = Interval{mean(low), mean(high)};
    }
    rows.push_back(std::move(row));
  }
  for (Row& row : rows) {
    if (row.solved == 0) continue;
    row.rank = 1 + static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&row](const Row& other) {
                 return other.is_better_than(row);
               }));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const auto key = [](const Row& row) {
      return std::tuple(row.rank.value_or(SIZE_MAX), -row.speedup.value_or(0), row.last_solved_at);
    };
    return key(a) < key(b);
  });
  return rows;
}

answers::Standings Standings::answer(const View& view) const {
  answers::Standings answer{view.sees_others, {}};
  for (const Row& row : rows(view)) {
    const bool is_own = row.owner == view.reader;
    if (!is_own && !view.sees_others) continue;
    answers::StandingsRow& shown = answer.rows.emplace_back();
    if (view.sees_others) shown.rank = row.rank;
    shown.owner = row.owner;
    shown.is_own = is_own;
    shown.solved = row.solved;
    shown.speedup = row.speedup;
    if (row.solved > 0) shown.last_solved_at = iso_time(row.last_solved_at);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      answers::StandingsCell& one = shown.cells.emplace_back();
      one.problem = view.contest.problems[i].slug;
      one.attempts = cell.attempts;
      if (cell.solved_at) one.solved_at = iso_time(*cell.solved_at);
      if (cell.has_speed) one.speedup = cell.counts->speedup;
      if (cell.counts != nullptr && (is_own || view.is_teacher)) one.id = cell.counts->id;
    }
  }
  return answer;
}

std::string Standings::csv(
    const View& view, const std::function<std::pair<std::string, std::string>(const std::string&)>& source,
    std::size_t longest) const {
  // The mark at the beginning tells programs for tables that the text is UTF-8.
  std::string csv =
      "\xef\xbb\xbfrank,owner,problem,attempts,verdict,solved_at,minutes,speedup,speedup_low,speedup_high,"
      "measured_as,id,file,source\r\n";
  for (const Row& row : rows(view)) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      const Entry none;
      const Entry& entry = cell.counts == nullptr ? none : *cell.counts;
      auto [file, text] = entry.id.empty() ? std::pair<std::string, std::string>() : source(entry.id);
      if (!text.empty() && csv.size() + 2 * text.size() > longest)
        text = fmt::format("too long for this file: GET /v1/grades/{}?view=source", entry.id);
      const auto minutes =
          cell.solved_at ? fmt::format("{:.1f}", (*cell.solved_at - view.contest.start) / 60) : "";
      std::vector<std::string> cells = {row.rank ? std::to_string(*row.rank) : "",
                                        row.owner,
                                        view.contest.problems[i].slug,
                                        std::to_string(cell.attempts),
                                        entry.verdict ? std::string(to_string(*entry.verdict)) : "",
                                        cell.solved_at ? iso_time(*cell.solved_at) : "",
                                        minutes,
                                        figure(entry.speedup.speedup),
                                        figure(entry.speedup.low),
                                        figure(entry.speedup.high),
                                        entry.board,
                                        entry.id,
                                        file,
                                        text};
      std::transform(cells.begin(), cells.end(), cells.begin(), csv_cell);
      csv += fmt::format("{}\r\n", fmt::join(cells, ","));
    }
  }
  return csv;
}

std::string csv_cell(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_formula =
      begin != text.npos && std::string_view("=+-@").find(text[begin]) != std::string_view::npos;
  std::string cell = is_formula ? "'" + std::string(text) : std::string(text);
  if (cell.find_first_of(",;\"\r\n\t") == cell.npos) return cell;
  return "\"" + replace_all(cell, "\"", "\"\"") + "\"";
}

}  // namespace kgrade
