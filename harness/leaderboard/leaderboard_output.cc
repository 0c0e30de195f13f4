#include "leaderboard/leaderboard_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/statistics.h"
#include "base/text.h"
#include "record/table.h"

namespace kgrade {
namespace {

std::string against_text(const Board& board) {
  if (board.against.empty()) return "";
  if (board.against == against_reference || board.baselines.empty()) return "against the " + board.against;
  return fmt::format("against {}", fmt::join(board.baselines, ", "));
}

// The medians of the measured cases, added up.
std::string total_median(const LeaderboardRow& row) {
  double total_ms = 0;
  for (const CaseRecord* c : compared_cases(row.newest.candidate()))
    total_ms += c->candidate().summary.median;
  return total_ms > 0 ? format_ms(total_ms) : "-";
}

// The geometric mean of the cases' shares, if every case has one.
std::string roofline_share(const LeaderboardRow& row) {
  std::vector<double> shares;
  for (const CaseRecord* c : compared_cases(row.newest.candidate())) {
    const double share = c->roofline ? c->roofline->shares.back() : 0;
    if (share <= 0) return "-";
    shares.push_back(share);
  }
  return shares.empty() ? "-" : fmt::format("{:.1f} %", 100 * geometric_mean(shares));
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return fmt::format("{} to {}", ratio_text(interval->low), ratio_text(interval->high));
}

// The score by which a row is ranked. For a row without a rank, its headline score. Null if there is none.
const Score* score_of(const Board& board, const LeaderboardRow& row) {
  return row.rank ? score_against(row.newest, board.against) : row.newest.candidate().headline();
}

std::string speedup_text(const Score* score) {
  return score == nullptr ? "-" : ratio_text(score->speedup.geometric_mean);
}

std::string against_text(const Score* score) {
  return score == nullptr ? "" : "against the " + score->against;
}

std::string board_text(const Board& board, const Style& style) {
  std::string text = fmt::format(
      "{}  {}\n", style(Colour::bold, problem_name(board.slug, board.dtype)),
      style(Colour::dim, fmt::format("{}  {}{}  {}", printable(board.device), to_string(board.precision),
                                     board.modules ? "  modules" : "", printable(against_text(board)))));
  TextTable table(
      {"rank", "candidate", "speedup", "95 % interval", "vs reference", "total median", "roofline", ""},
      {true, false, true, false, true, true, true, false});
  for (const LeaderboardRow& row : board.rows) {
    const Score* score = score_of(board, row);
    table.add({row.rank ? fmt::format("{}{}", row.rank->best, row.tied ? "=" : "") : "-",
               printable_line(row.newest.candidate().path), speedup_text(score),
               score == nullptr ? "-" : interval_text(score->speedup.interval),
               speedup_text(score_against(row.newest, against_reference)), total_median(row),
               roofline_share(row), style(Colour::yellow, row.unranked_because)});
  }
  return text + table.render(style) + "\n";
}

// "reference, warm cache"
std::string against_text(const Suite& suite) {
  return suite.against + (suite.cache == "warm" ? ", warm cache" : "");
}

// A suite against a single baseline is shown only if it was asked for.
bool is_shown(const Suite& suite, const Leaderboard& leaderboard) {
  return !leaderboard.against.empty() || suite.against == against_reference ||
         suite.against == against_baseline;
}

// "40 %", or "40 % (38 %)" if the suite has degenerate problems.
std::string fast_p_text(const SuiteRow& row, double p) {
  const auto percent = [p](const std::map<double, double>& fast_p) {
    return fmt::format("{:.0f} %", 100 * fast_p.at(p));
  };
  if (row.fast_p_without_degenerate.empty()) return percent(row.fast_p);
  return fmt::format("{} ({})", percent(row.fast_p), percent(row.fast_p_without_degenerate));
}

// Names the problems that the brackets of fast_p_text() leave out.
std::string degenerate_text(const Leaderboard& leaderboard) {
  std::set<std::string> problems;
  for (const Suite& suite : leaderboard.suites) {
    if (is_shown(suite, leaderboard) && suite.degenerate.size() < suite.problems)
      problems.insert(suite.degenerate.begin(), suite.degenerate.end());
  }
  if (problems.empty()) return "";
  return fmt::format("In brackets: without {}, whose answers to other inputs are nearly the same.\n",
                     fmt::join(problems, ", "));
}

std::string suites_text(const Leaderboard& leaderboard, const Style& style) {
  TextTable speeds({"solution", "class", "against", "accepted", "geometric mean", "fast_1", "fast_2"},
                   {false, false, false, true, true, true, true});
  bool is_empty = true;
  for (const Suite& suite : leaderboard.suites) {
    if (!is_shown(suite, leaderboard)) continue;
    for (const SuiteRow& row : suite.rows) {
      is_empty = false;
      speeds.add({printable_line(row.solution), std::string(to_string(suite.precision)), against_text(suite),
                  fmt::format("{} of {}", row.accepted, suite.problems), ratio_text(row.score.geometric_mean),
                  fast_p_text(row, 1), fast_p_text(row, 2)});
    }
  }
  if (is_empty) return "";
  return "\n" + speeds.render(style) + degenerate_text(leaderboard);
}

// The table of pass@k, for runs with several samples.
PlainTable runs_of(const Leaderboard& leaderboard) {
  PlainTable table{{"run", "level", "device", "problems", "samples", "accepted", "pass@k"},
                   {false, true, false, true, true, true, false}};
  for (const SampledRun& run : leaderboard.runs) {
    table.rows.push_back({run.run, run.level ? std::to_string(*run.level) : "", run.device,
                          std::to_string(run.problems), std::to_string(run.samples),
                          std::to_string(run.accepted), pass_at_k_text(run)});
  }
  return table;
}

std::string runs_text(const Leaderboard& leaderboard, const Style& style) {
  if (leaderboard.runs.empty()) return "";
  const PlainTable table = runs_of(leaderboard);
  TextTable runs(table.columns, table.is_number);
  for (std::vector<std::string> row : table.rows) {
    for (std::string& cell : row) cell = cell.empty() ? "-" : printable_line(cell);
    runs.add(std::move(row));
  }
  return "\n" + runs.render(style);
}

std::string markdown_table(const PlainTable& table) {
  std::string text = "|", line = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += fmt::format(" {}|", table.columns[i].empty() ? "" : table.columns[i] + " ");
    line += table.is_number[i] ? " --: |" : " --- |";
  }
  text += "\n" + line + "\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) {
      // The text is escaped, so that it has no markup, no end of the cell and no line break.
      text += " ";
      for (const char c : escape_markup(printable(cell))) {
        if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) text += '\\';
        text += c == '\n' || c == '\t' ? ' ' : c;
      }
      text += " |";
    }
    text += "\n";
  }
  return text;
}

std::string markdown_suites(const Leaderboard& leaderboard) {
  if (leaderboard.suites.empty()) return "";
  PlainTable table{
      {"GPU", "type", "class", "against", "best solution", "accepted", "geometric mean", "fast_1"},
      {false, false, false, false, false, true, true, true}};
  for (const Suite& suite : leaderboard.suites) {
    if (!is_shown(suite, leaderboard)) continue;
    const SuiteRow& row = suite.rows.front();
    table.rows.push_back({suite.device, std::string(to_string(suite.dtype)),
                          fmt::format("{}{}", to_string(suite.precision), suite.modules ? ", modules" : ""),
                          against_text(suite), row.solution,
                          fmt::format("{} of {}", row.accepted, suite.problems),
                          ratio_text(row.score.geometric_mean), fast_p_text(row, 1)});
  }
  const std::string text = degenerate_text(leaderboard);
  return "\n" + markdown_table(table) + (text.empty() ? "" : "\n" + text);
}

using Slugs = std::set<std::string>;

std::size_t count_of(const std::vector<const Record*>& records, bool (*is_one)(const Record&)) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [&](const Record* record) { return is_one(*record); }));
}

bool is_quick(const Record& record) {
  const Score* const score = score_against(record, against_reference);
  return record.device.measures_speed && record.effort == Effort::quick && score != nullptr &&
         !score->speedup.interval;
}

void add_unranked(const std::vector<const Record*>& records, std::vector<LeaderboardNote>& notes) {
  if (const std::size_t quick = count_of(records, is_quick); quick > 0) {
    notes.push_back(
        {fmt::format("{} of {} here {} --quick: no interval, no rank. Grade without --quick for "
                     "ranks.",
                     quick, counted(records.size(), "result"), quick == 1 ? "is" : "are")});
  }
  if (const std::size_t emulated =
          count_of(records, [](const Record& record) { return record.device.kind == "emulated"; });
      emulated > 0) {
    notes.push_back(
        {fmt::format("{} of {} here {} of the emulated device: a verdict and no rank, because its "
                     "times do not measure speed.",
                     emulated, counted(records.size(), "result"), emulated == 1 ? "is" : "are")});
  }
}

void add_libraries(const std::vector<const Record*>& records, std::vector<LeaderboardNote>& notes) {
  Slugs measured, compared;
  for (const Record* record : records) {
    if (record->candidate().headline() == nullptr) continue;
    measured.insert(record->problem_slug);
    if (is_beside_library(*record)) compared.insert(record->problem_slug);
  }
  if (compared.size() == measured.size()) return;
  const std::string what =
      compared.empty()
          ? "Nothing here was compared with a library: no baseline was measured. A speedup "
          : fmt::format("{} of {} {} compared with a library. Any other speedup ", compared.size(),
                        counted(measured.size(), "problem"), compared.size() == 1 ? "was" : "were");
  notes.push_back(
      {what +
       "is against the reference, a plain kernel that is easy to beat: it says nothing about libraries."});
}

void add_missing(const Leaderboard& leaderboard, const std::vector<const Record*>& records,
                 const std::vector<std::string>& catalogue, std::vector<LeaderboardNote>& notes) {
  Slugs all(catalogue.begin(), catalogue.end());
  std::map<std::string_view, Slugs> by_device;
  for (const Record* record : records) {
    all.insert(record->problem_slug);
    by_device[record->device.name].insert(record->problem_slug);
  }
  const auto is_gpu = [](const LeaderboardDevice& device) { return device.times_are_speed; };
  const bool has_gpu = std::any_of(leaderboard.devices.begin(), leaderboard.devices.end(), is_gpu);
  for (const LeaderboardDevice& device : leaderboard.devices) {
    if (has_gpu && !is_gpu(device)) continue;
    const Slugs& present = by_device[device.name];
    LeaderboardNote note;
    std::set_difference(all.begin(), all.end(), present.begin(), present.end(),
                        std::back_inserter(note.names));
    if (note.names.empty()) continue;
    note.text =
        fmt::format("{} of {} {} no result on {}{}", note.names.size(), counted(all.size(), "problem"),
                    note.names.size() == 1 ? "has" : "have", is_gpu(device) ? "" : "the ", device.name);
    notes.push_back(std::move(note));
  }
}

}  // namespace

std::string render_table(const Leaderboard& leaderboard, const Style& style) {
  std::string text;
  for (const Board& board : leaderboard.boards) text += board_text(board, style);
  TextTable unmeasured({"verdict", "problem", "candidate", "device"});
  for (const LeaderboardRow& row : leaderboard.unmeasured) {
    const Record& record = row.newest;
    const bool accepted = record.candidate().verdict == Verdict::accepted;
    unmeasured.add({style(accepted ? Colour::green : Colour::red, to_string(record.candidate().verdict)),
                    problem_name(record.problem_slug, record.dtype), printable_line(record.candidate().path),
                    printable_line(record.device.name)});
  }
  if (!leaderboard.unmeasured.empty()) text += unmeasured.render(style, "");
  text += runs_text(leaderboard, style);
  // The suites are shown for runs of samples, or if an opponent was asked for.
  const bool wants_suites = !leaderboard.runs.empty() || !leaderboard.against.empty();
  return wants_suites ? text + suites_text(leaderboard, style) : text;
}

PlainTable leaders_of(const Leaderboard& leaderboard, bool includes_unranked) {
  PlainTable table{
      {"problem", "GPU", "class", "leader", "speedup (95 % interval)", "", "total median", "roofline"},
      {false, false, false, false, true, false, true, true}};
  for (const Board& board : leaderboard.boards) {
    for (const LeaderboardRow& row : board.rows) {
      const bool is_first = includes_unranked && &row == &board.rows.front();
      if (row.rank ? row.rank->best != 1 : !is_first) continue;
      const Score* score = score_of(board, row);
      // "1.50x (1.49x to 1.52x)"
      std::string speedup = speedup_text(score);
      if (score != nullptr && score->speedup.interval)
        speedup += fmt::format(" ({})", interval_text(score->speedup.interval));
      const std::string note = !row.rank ? " (no rank)" : row.tied ? " (tied)" : "";
      table.rows.push_back({problem_name(board.slug, board.dtype), board.device,
                            std::string(to_string(board.precision)), row.solution + note, speedup,
                            row.rank ? against_text(board) : against_text(score), total_median(row),
                            roofline_share(row)});
    }
  }
  return table;
}

PlainTable verdicts_of(const Leaderboard& leaderboard) {
  PlainTable table{{"problem", "candidate", "device", "verdict"}, {false, false, false, false}};
  for (const LeaderboardRow& row : leaderboard.unmeasured) {
    const Record& record = row.newest;
    table.rows.push_back({problem_name(record.problem_slug, record.dtype), row.solution, record.device.name,
                          std::string(to_string(record.candidate().verdict))});
  }
  return table;
}

std::string render_markdown(const Leaderboard& leaderboard) {
  std::string text = "<!-- leaderboard -->\n";
  if (const PlainTable leaders = leaders_of(leaderboard, false); !leaders.rows.empty()) {
    text += markdown_table(leaders);
  } else {
    text += "No candidate has a rank yet.\n";
    if (!leaderboard.unmeasured.empty()) text += "\n" + markdown_table(verdicts_of(leaderboard));
  }
  if (!leaderboard.runs.empty()) text += "\n" + markdown_table(runs_of(leaderboard));
  return text + markdown_suites(leaderboard) + "<!-- /leaderboard -->\n";
}

bool is_beside_library(const Record& record) {
  return score_against(record, against_baseline) != nullptr ||
         (record.reference.is_pytorch() && score_against(record, against_reference) != nullptr);
}

std::vector<LeaderboardNote> notes_of(const Leaderboard& leaderboard,
                                      const std::vector<std::string>& catalogue) {
  const std::vector<const Record*> records = newest_records(leaderboard);
  std::vector<LeaderboardNote> notes;
  add_unranked(records, notes);
  add_libraries(records, notes);
  add_missing(leaderboard, records, catalogue, notes);
  return notes;
}

}  // namespace kgrade
