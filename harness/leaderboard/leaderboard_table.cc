#include "leaderboard/leaderboard_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "leaderboard/page_rows.h"
#include "record/table.h"

namespace kgrade {
namespace {

std::string against_text(const Board& board) {
  if (board.against.empty()) return "";
  if (board.against == against_reference || board.baselines.empty()) return "against the " + board.against;
  return fmt::format("against {}", fmt::join(board.baselines, ", "));
}

std::string share_text(double share) { return share > 0 ? fmt::format("{:.1f} %", 100 * share) : "-"; }

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return fmt::format("{} to {}", ratio_text(interval->low), ratio_text(interval->high));
}

std::string board_text(const std::vector<PageRow>& rows, const Style& style) {
  const Board& board = *rows.front().board;
  std::string text = fmt::format(
      "{}  {}\n", style(Colour::bold, problem_name(board.slug, board.dtype)),
      style(Colour::dim, fmt::format("{}  {}  {}", printable(board.device), to_string(board.precision),
                                     printable(against_text(board)))));
  TextTable table({"rank", "candidate", "speedup", "95 % interval", "vs reference", "median", "roofline", ""},
                  {true, false, true, false, true, true, true, false});
  for (const PageRow& row : rows) {
    const LeaderboardRow& record = *row.row;
    const Score* score = row.score;
    table.add({record.rank ? fmt::format("{}{}", record.rank->best, record.tied ? "=" : "") : "-",
               printable_line(record.newest.candidate().path),
               score == nullptr ? "-" : ratio_text(score->speedup.geometric_mean),
               score == nullptr ? "-" : interval_text(score->speedup.interval),
               row.reference == nullptr ? "-" : ratio_text(row.reference->speedup.geometric_mean),
               row.total_ms > 0 ? format_ms(row.total_ms) : "-", share_text(row.share),
               style(Colour::yellow, record.unranked_because)});
  }
  return text + table.render(style) + "\n";
}

std::string unmeasured_text(const Leaderboard& leaderboard, const Style& style) {
  if (leaderboard.unmeasured.empty()) return "";
  TextTable table({"no rank", "problem", "candidate", "device"});
  for (const LeaderboardRow& row : leaderboard.unmeasured) {
    const Record& record = row.newest;
    table.add({style(record.candidate().verdict == Verdict::accepted ? Colour::green : Colour::red,
                     to_string(record.candidate().verdict)),
               problem_name(record.problem_slug, record.dtype), printable_line(record.candidate().path),
               printable_line(record.device.name)});
  }
  return table.render(style, "");
}

// One cell of a table: no markup, no end of the cell, no line break.
std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : escape_markup(printable(text))) {
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\t' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_row(const PageRow& row) {
  const Record& record = row.row->newest;
  const Score& score = *row.score;
  const auto& interval = score.speedup.interval;
  return fmt::format(
      "| {} | {} | {} | {}{} | {} ({} to {}) | {} | {} | {} |\n",
      markdown_text(problem_name(record.problem_slug, record.dtype)), markdown_text(record.device.name),
      to_string(row.precision), markdown_text(row.row->solution), row.row->tied ? " (tied)" : "",
      ratio_text(score.speedup.geometric_mean), ratio_text(interval->low), ratio_text(interval->high),
      markdown_text(against_text(*row.board)), format_ms(row.total_ms), share_text(row.share));
}

std::string markdown_suites(const Leaderboard& leaderboard) {
  if (leaderboard.suites.empty()) return "";
  std::string text =
      "\n| GPU | class | against | best solution | accepted | geometric mean | fast_1 |\n"
      "| --- | --- | --- | --- | --: | --: | --: |\n";
  for (const Suite& suite : leaderboard.suites) {
    const SuiteRow& row = suite.rows.front();
    text += fmt::format("| {} | {} | {} | {} | {} of {} | {} | {:.0f} % |\n", markdown_text(suite.device),
                        to_string(suite.precision), suite.against, markdown_text(row.solution), row.accepted,
                        suite.problems, ratio_text(row.score.geometric_mean), 100 * row.fast_p.at(1));
  }
  return text;
}

}  // namespace

std::string render_table(const Leaderboard& leaderboard, const Style& style) {
  std::string text;
  std::vector<PageRow> of_board;
  for (const PageRow& row : page_rows(leaderboard)) {
    if (!of_board.empty() && of_board.front().board != row.board) {
      text += board_text(of_board, style);
      of_board.clear();
    }
    if (row.board != nullptr) of_board.push_back(row);
  }
  if (!of_board.empty()) text += board_text(of_board, style);
  return text + unmeasured_text(leaderboard, style);
}

std::string render_markdown(const Leaderboard& leaderboard) {
  std::string text = "<!-- leaderboard -->\n";
  std::string leaders;
  for (const PageRow& row : page_rows(leaderboard)) {
    if (row.row->rank && row.row->rank->best == 1) leaders += markdown_row(row);
  }
  if (leaders.empty()) text += "No candidate has a rank yet.\n";
  if (!leaders.empty()) {
    text +=
        "| problem | GPU | class | leader | speedup (95 % interval) | | time | roofline |\n"
        "| --- | --- | --- | --- | --: | --- | --: | --: |\n" +
        leaders;
  }
  return text + markdown_suites(leaderboard) + "<!-- /leaderboard -->\n";
}

}  // namespace kgrade
