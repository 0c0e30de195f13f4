#include "leaderboard/compare_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "leaderboard/leaderboard.h"
#include "record/ci_formats.h"
#include "record/table.h"

namespace kgrade {
namespace {

// A comment on GitHub may have 65,536 characters. Pairs that have become worse are never left out. Beyond so
// many bytes, they are listed without details.
constexpr std::size_t most_detailed_bytes = 30'000;
constexpr std::size_t most_row_bytes = 30'000;
constexpr std::size_t most_list_bytes = 5'000;

// A row of a table must be one line.
std::string cell(const std::string& text) { return replace_all(printable(text), "\n", " "); }

std::string problem_label(const Record& record) {
  return record.dtype == Dtype::float32 ? record.problem_slug
                                        : fmt::format("{} {}", record.problem_slug, to_string(record.dtype));
}

SpeedRatio suite_ratio(const SuiteScore& suite) {
  return {suite.geometric_mean, suite.interval, Method::across_processes, suite.count};
}

// The outcome for a pair in a few words.
std::string outcome_text(const ComparedPair& pair) {
  switch (pair.change) {
    case VerdictChange::regression:
      return "no longer accepted";
    case VerdictChange::improvement:
      return "now accepted";
    case VerdictChange::other:
      return "still not accepted";
    case VerdictChange::lower_class:
      return "lower class";
    case VerdictChange::needs_gpu:
      return "unsupported";
    case VerdictChange::none:
      break;
  }
  if (pair.is_same_on_other_device()) return "same files";
  if (pair.is_on_other_model() && pair.after.candidate().verdict == Verdict::accepted) return "other device";
  if (pair.speed) return std::string(to_string(pair.speed->statement()));
  return pair.after.candidate().verdict == Verdict::accepted ? "accepted" : "still not accepted";
}

bool is_good(const ComparedPair& pair) {
  return pair.change == VerdictChange::improvement || pair.statement() == Statement::faster;
}

bool is_bad(const ComparedPair& pair) {
  return pair.change == VerdictChange::regression || pair.change == VerdictChange::lower_class ||
         pair.statement() == Statement::slower;
}

// The pairs by interest: first those that have become worse, by how bad that is, then those that have become
// better, then all other pairs. Equal pairs keep their order.
std::vector<const ComparedPair*> by_interest(const ComparedRecords& comparison) {
  const auto place_of = [](const ComparedPair& pair) {
    if (pair.change == VerdictChange::regression) return 0;
    if (pair.change == VerdictChange::lower_class) return 1;
    if (pair.is_worse()) return 2;
    return is_good(pair) ? 3 : 4;
  };
  std::vector<const ComparedPair*> pairs;
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(&pair);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const ComparedPair* a, const ComparedPair* b) { return place_of(*a) < place_of(*b); });
  return pairs;
}

// The candidate, or both candidates if they differ.
std::string candidates_of(const ComparedPair& pair) {
  const std::string before =
      std::filesystem::path(pair.before.candidate().path).lexically_normal().generic_string();
  const std::string after =
      std::filesystem::path(pair.after.candidate().path).lexically_normal().generic_string();
  return before == after ? after : before + " -> " + after;
}

// A detail on the outcome: the message if it is not accepted, why speeds are not compared, or why an interval
// is wide.
std::string detail_of(const ComparedPair& pair) {
  if (pair.after.candidate().verdict != Verdict::accepted)
    return fmt::format("{}: {}", to_string(pair.after.candidate().verdict), pair.after.candidate().message);
  if (pair.change == VerdictChange::lower_class)
    return fmt::format("{}, before {}", to_string(pair.after.candidate().precision),
                       to_string(pair.before.candidate().precision));
  if (pair.speed)
    return pair.other_device ? "on another device" : pair.in_same_blocks ? in_the_same_blocks : "";
  if (pair.change == VerdictChange::improvement) return "";
  return pair.before.device.measures_speed ? pair.no_speed : "";
}

std::string coloured(const ComparedPair& pair, const Style& style) {
  const std::string text = outcome_text(pair);
  if (is_good(pair)) return style(Colour::green, text);
  return is_bad(pair) ? style(Colour::red, text) : text;
}

void add_rows(TextTable& table, const ComparedPair& pair, const Style& style) {
  table.add({problem_label(pair.after), cell(candidates_of(pair)),
             pair.speed ? precise_ratio_text(*pair.speed) : "-",
             pair.speed ? precise_interval_text(*pair.speed) : "", coloured(pair, style),
             cell(detail_of(pair))});
  if (pair.cases.size() < 2) return;
  for (const ComparedCase& c : pair.cases) {
    table.add({"", "  case " + c.name, precise_ratio_text(c.ratio), precise_interval_text(c.ratio),
               pair.statement() ? std::string(to_string(c.ratio.statement())) : "", ""});
  }
}

std::string only_text(const std::vector<Record>& records, const std::string& word) {
  std::string text;
  for (const Record& record : records) {
    text += fmt::format("  {}: {}  {}  {}  {}\n", word, problem_label(record), cell(record.candidate().path),
                        cell(record.device.name), to_string(record.candidate().verdict));
  }
  return text;
}

// The candidates that only the first side has: first the accepted candidates, then all others.
std::array<std::vector<Record>, 2> missing_and_others(const ComparedRecords& comparison) {
  std::array<std::vector<Record>, 2> parts;
  for (const Record& record : comparison.removed)
    parts[record.candidate().verdict == Verdict::accepted ? 0 : 1].push_back(record);
  return parts;
}

std::string unfinished_text(const ComparedRecords& comparison) {
  std::string text;
  for (const Errors& files : {comparison.unfinished_before, comparison.unfinished_after}) {
    for (const Error& file : files) text += fmt::format("  cut off: {}\n", to_string(file));
  }
  for (const Error& line : comparison.skipped) text += fmt::format("  skipped: {}\n", to_string(line));
  return text;
}

std::string suite_text(const SuiteScore& suite) {
  if (suite.count == 0) return "";
  const SpeedRatio ratio = suite_ratio(suite);
  const std::string interval = suite.interval ? fmt::format(" ({})", precise_interval_text(ratio)) : "";
  return fmt::format("Geometric mean over {}: {}{}, {}\n", counted(suite.count, "pair"),
                     precise_ratio_text(ratio), interval, to_string(ratio.statement()));
}

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_row(const ComparedPair& pair, bool detailed = true) {
  const std::string outcome = outcome_text(pair);
  const std::string detail = detailed ? detail_of(pair) : "";
  return row({problem_label(pair.after), markdown_code(candidates_of(pair)),
              pair.speed ? precise_ratio_text(*pair.speed) : "-",
              pair.speed ? precise_interval_text(*pair.speed) : "",
              is_good(pair) || is_bad(pair) ? "**" + outcome + "**" : outcome,
              detail.empty() ? "" : markdown_code(detail)});
}

// A list of candidates that only one side has.
std::string markdown_list(const std::vector<Record>& records, const std::string& title,
                          std::size_t most_bytes = most_list_bytes) {
  if (records.empty()) return "";
  std::string text = fmt::format("\n{}: {}\n\n", title, records.size());
  std::size_t shown = 0;
  for (; shown < records.size() && text.size() < most_bytes; ++shown) {
    text += fmt::format(
        "- {}, {}, {}: {}\n", problem_label(records[shown]), markdown_code(records[shown].candidate().path),
        markdown_code(records[shown].device.name), to_string(records[shown].candidate().verdict));
  }
  if (shown < records.size()) text += fmt::format("- and {} more\n", records.size() - shown);
  return text;
}

std::string markdown_unfinished(const ComparedRecords& comparison) {
  std::string text;
  for (const Errors& files : {comparison.unfinished_before, comparison.unfinished_after}) {
    for (const Error& file : files) {
      const std::string place = fmt::format("{}:{}", file.location.file, file.location.line);
      if (text.size() < most_list_bytes)
        text += fmt::format("- {}: {}\n", markdown_code(place), file.message);
    }
  }
  if (!text.empty()) text = "\nCut off:\n\n" + text;
  if (comparison.skipped_count > 0)
    text += fmt::format("\nSkipped, because they are no records: {}, first {}\n", comparison.skipped_count,
                        markdown_code(to_string(comparison.skipped.front())));
  return text;
}

}  // namespace

std::string summary_text(const ComparedRecords& comparison) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(count_of(comparison, VerdictChange::regression), "no longer accepted");
  const std::size_t missing = count_of_missing(comparison);
  add(count_of(comparison, VerdictChange::lower_class), "of a lower class");
  add(missing, "accepted before and missing now");
  add(comparison.unfinished_before.size() + comparison.unfinished_after.size(), "cut off");
  add(comparison.skipped_count, "no record and skipped");
  add(count_of(comparison, VerdictChange::improvement), "now accepted");
  add(count_of(comparison, VerdictChange::needs_gpu),
      "accepted before and now unsupported on the emulated device");
  for (const Statement s : {Statement::faster, Statement::slower, Statement::same, Statement::inconclusive})
    add(count_of(comparison, s), to_string(s));
  add(count_of_same_files(comparison), "of the same files on another device");
  add(count_of_other_models(comparison), "on another GPU model: not compared");
  add(count_of_incomparable(comparison), "not comparable");
  add(comparison.added.size(), "added");
  add(comparison.removed.size() - missing, "removed");
  if (!parts.empty()) return fmt::format("{}", fmt::join(parts, ", "));
  return comparison.pairs.empty() ? "nothing to compare" : "nothing changed";
}

std::string render_table(const ComparedRecords& comparison, const Style& style) {
  TextTable table({"problem", "candidate", "speed", "95 % interval", "", ""},
                  {false, false, true, false, false, false});
  for (const ComparedPair* pair : by_interest(comparison)) add_rows(table, *pair, style);
  std::string text = comparison.pairs.empty() ? "" : table.render(style);
  const auto [missing, removed] = missing_and_others(comparison);
  text +=
      only_text(missing, "missing") + only_text(removed, "removed") + only_text(comparison.added, "added");
  text += unfinished_text(comparison);
  text += suite_text(comparison.suite);
  return text + style(Colour::bold, summary_text(comparison)) + "\n";
}

std::string render_markdown(const ComparedRecords& comparison) {
  std::string worse, rows;
  std::size_t left_out = 0, unchanged = 0;
  for (const ComparedPair* pair : by_interest(comparison)) {
    if (pair->is_worse()) {
      worse += markdown_row(*pair, worse.size() < most_detailed_bytes);
    } else if (!pair->speed && pair->change == VerdictChange::none && detail_of(*pair).empty()) {
      ++unchanged;
    } else if (worse.size() + rows.size() < most_row_bytes) {
      rows += markdown_row(*pair);
    } else {
      ++left_out;
    }
  }
  std::string text = fmt::format("**{}**\n", summary_text(comparison));
  if (const std::string suite = suite_text(comparison.suite); !suite.empty()) text += "\n" + suite;
  const auto [missing, removed] = missing_and_others(comparison);
  text += markdown_unfinished(comparison) +
          markdown_list(missing, "Accepted before and missing now", std::string::npos);
  if (!worse.empty() || !rows.empty()) {
    text += "\n" + row({"problem", "candidate", "speed", "95 % interval", "outcome", ""}) +
            "| --- | --- | ---: | --- | --- | --- |\n" + worse + rows;
  }
  if (left_out > 0) text += fmt::format("\n{} more rows are left out; none of them is worse.\n", left_out);
  if (unchanged > 0) text += fmt::format("\nAccepted before and after: {}\n", unchanged);
  return text + markdown_list(comparison.added, "Added") + markdown_list(removed, "Removed");
}

}  // namespace kgrade
