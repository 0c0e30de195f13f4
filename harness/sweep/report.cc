#include "sweep/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "measure/speedup.h"
#include "record/record.h"
#include "record/table.h"

namespace kgrade {
namespace {

std::string name_of(const Record& record) {
  return std::filesystem::path(record.candidate().path).filename().string();
}

std::string verdict_of(const Record& record, const Style& style) {
  const bool accepted = record.candidate().verdict == Verdict::accepted;
  const Colour bad = needs_a_gpu(record) ? Colour::yellow : Colour::red;
  return style(accepted ? Colour::green : bad, to_string(record.candidate().verdict));
}

std::string speed_of(const Record& record) {
  const Score* score = record.candidate().headline();
  if (score == nullptr) return "-";
  std::string text = ratio_text(score->speedup.geometric_mean);
  if (score->speedup.interval)
    text += fmt::format(" [{:.3g}, {:.3g}]", score->speedup.interval->low, score->speedup.interval->high);
  return text;
}

// The geometric mean over all measured candidates. The opponent may differ between candidates.
std::string score_line(const SweepOutcome& outcome) {
  std::vector<SpeedRatio> ratios;
  for (const Record& record : outcome.records) {
    if (const Score* score = record.candidate().headline())
      ratios.push_back({score->speedup.geometric_mean, score->speedup.interval});
  }
  if (ratios.empty()) return "";
  const SuiteScore score = suite_score(ratios);
  std::string text =
      fmt::format("Geometric mean of {} speedups: {}", score.count, ratio_text(score.geometric_mean));
  if (score.interval) text += fmt::format(" [{:.4g}, {:.4g}]", score.interval->low, score.interval->high);
  return text + ".\n";
}

}  // namespace

void TimeLeft::result_at(double now) {
  times_.push_back(now);
  if (times_.size() > window + 1) times_.pop_front();
}

std::optional<double> TimeLeft::seconds(std::size_t left, double now) const {
  if (times_.size() < 3) return std::nullopt;
  const double per_result = (times_.back() - times_.front()) / static_cast<double>(times_.size() - 1);
  const double since_last = now - times_.back();
  return std::fmax(per_result * static_cast<double>(left) - since_last, 0);
}

bool LogInterval::is_due(double now) {
  if (now - last_ < seconds_) return false;
  last_ = now;
  return true;
}

std::string describe_time_left(double seconds) {
  if (seconds < 60) return "less than a minute left";
  if (seconds < 5400) return fmt::format("about {:.0f} min left", seconds / 60);
  if (seconds < 172800) return fmt::format("about {:.1f} h left", seconds / 3600);
  return fmt::format("about {:.0f} days left", seconds / 86400);
}

std::string result_line(const Record& record, const Style& style) {
  std::string text =
      fmt::format("{}  {}/{}", verdict_of(record, style), problem_name(record.problem_slug, record.dtype),
                  printable_line(name_of(record)));
  if (record.candidate().headline() != nullptr) {
    text += fmt::format("  {} {}", speed_of(record), record.candidate().headline()->against);
  } else if (record.candidate().verdict == Verdict::accepted) {
    if (const std::string cases = cases_text(record.candidate()); !cases.empty()) text += "  " + cases;
  } else {
    const std::string line = record.candidate().message.substr(0, record.candidate().message.find('\n'));
    text += "  " + printable(line);
  }
  if (const auto& by_set = record.candidate().by_set)
    text += fmt::format("  by set: {}", verdict_words(*by_set));
  return text;
}

std::string render_summary(const SweepOutcome& outcome, const Style& style) {
  std::vector<std::string> head = {"problem", "candidate", "verdict", "class", "speedup", "against"};
  const bool has_sets = std::ranges::any_of(
      outcome.records, [](const Record& record) { return record.candidate().by_set.has_value(); });
  if (has_sets) head.emplace_back("by set");
  TextTable table(head, {false, false, false, false, true, false, false});
  for (const Record& record : outcome.records) {
    const bool accepted = record.candidate().verdict == Verdict::accepted;
    std::vector<std::string> row = {
        problem_name(record.problem_slug, record.dtype),
        printable_line(name_of(record)),
        verdict_of(record, style),
        accepted ? std::string(to_string(record.candidate().precision)) : "-",
        speed_of(record),
        record.candidate().headline() != nullptr ? record.candidate().headline()->against : "-"};
    const auto& by_set = record.candidate().by_set;
    if (has_sets) row.emplace_back(by_set ? verdict_words(*by_set) : "-");
    table.add(std::move(row));
  }
  const auto accepted =
      std::count_if(outcome.records.begin(), outcome.records.end(),
                    [](const Record& record) { return record.candidate().verdict == Verdict::accepted; });
  const auto for_gpu = std::count_if(outcome.records.begin(), outcome.records.end(), needs_a_gpu);
  std::string text = table.render(style);
  for (const UngradedCandidate& one : outcome.ungraded)
    text += fmt::format("{} {}: {}\n", style(Colour::red, "not graded:"), printable(one.candidate.string()),
                        printable(one.message));
  // The first of the unmatched files, as far as a summary has room.
  const std::vector<std::filesystem::path>& unmatched = outcome.unmatched;
  const std::size_t shown = std::min<std::size_t>(unmatched.size(), 10);
  if (!unmatched.empty())
    text += fmt::format("{} {}\n", style(Colour::yellow, "named after no problem, not graded:"),
                        counted(unmatched.size(), "file"));
  for (std::size_t i = 0; i < shown; ++i) text += "  " + printable_line(unmatched[i].string()) + "\n";
  if (shown < unmatched.size()) text += fmt::format("  and {} more\n", unmatched.size() - shown);
  text += score_line(outcome);
  text += fmt::format("{}: {} accepted, {} not",
                      counted(outcome.records.size() + outcome.ungraded.size(), "candidate"), accepted,
                      static_cast<std::ptrdiff_t>(outcome.records.size()) - accepted - for_gpu);
  if (for_gpu > 0) text += fmt::format(", {} unsupported on this machine", for_gpu);
  if (!outcome.ungraded.empty()) text += fmt::format(", {} without a verdict", outcome.ungraded.size());
  if (outcome.taken_over > 0) text += fmt::format("; {} of them from before", outcome.taken_over);
  return text + fmt::format("; {:.1f} s\n", outcome.seconds);
}

std::vector<Ungraded> ungraded_of(const SweepOutcome& outcome) {
  const std::string device = outcome.records.empty() ? "" : outcome.records.front().device.name;
  std::vector<Ungraded> all;
  for (const UngradedCandidate& one : outcome.ungraded)
    all.push_back({one.slug, one.dtype, device, one.candidate.string(), one.message, utc_now()});
  return all;
}

}  // namespace kgrade
