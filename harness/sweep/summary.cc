#include "sweep/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "measure/suite_score.h"
#include "record/record.h"
#include "record/speed_table.h"

namespace kgrade {
namespace {

std::string name_of(const Entry& entry) { return std::filesystem::path(entry.path).filename().string(); }

std::string verdict_of(const Entry& entry, const Style& style) {
  return style(entry.verdict == Verdict::accepted ? Colour::green : Colour::red, to_string(entry.verdict));
}

std::string speed_of(const Entry& entry) {
  const Score* score = entry.headline();
  if (score == nullptr) return "-";
  std::string text = ratio_text(score->speedup.geometric_mean);
  if (score->speedup.interval)
    text += fmt::format(" [{:.3g}, {:.3g}]", score->speedup.interval->low, score->speedup.interval->high);
  return text;
}

// The geometric mean over all candidates that were measured, against the same opponent each: which one that
// is, differs.
std::string score_line(const SweepOutcome& outcome) {
  std::vector<SpeedRatio> ratios;
  for (const Entry& entry : outcome.entries) {
    if (const Score* score = entry.headline())
      ratios.push_back({score->speedup.geometric_mean, score->speedup.interval});
  }
  if (ratios.empty()) return "";
  const SuiteScore score = suite_score(ratios);
  std::string text =
      fmt::format("Geometric mean of {} speedups: {}", score.count, ratio_text(score.geometric_mean));
  if (score.interval) text += fmt::format(" [{:.4g}, {:.4g}]", score.interval->low, score.interval->high);
  return text + ".\n";
}

std::string ungraded_lines(const SweepOutcome& outcome, const Style& style) {
  std::string text;
  for (const UngradedCandidate& one : outcome.ungraded) {
    text += fmt::format("{} {}: {}\n", style(Colour::red, "not graded:"), printable(one.candidate.string()),
                        printable(one.message));
  }
  return text;
}

}  // namespace

std::string result_line(const Entry& entry, const Style& style) {
  std::string text = fmt::format("{}  {}/{}", verdict_of(entry, style), problem_name(entry.slug, entry.dtype),
                                 printable_line(name_of(entry)));
  if (entry.headline() != nullptr)
    return text + fmt::format("  {} {}", speed_of(entry), entry.headline()->against);
  if (entry.verdict != Verdict::accepted) {
    const std::string line = entry.message.substr(0, entry.message.find('\n'));
    text += "  " + printable(line);
  }
  return text;
}

std::string render_summary(const SweepOutcome& outcome, const Style& style) {
  TextTable table({"problem", "candidate", "verdict", "class", "speedup", "against"},
                  {false, false, false, false, true, false});
  for (const Entry& entry : outcome.entries) {
    const bool accepted = entry.verdict == Verdict::accepted;
    table.add({problem_name(entry.slug, entry.dtype), printable_line(name_of(entry)),
               verdict_of(entry, style), accepted ? std::string(to_string(entry.precision)) : "-",
               speed_of(entry), entry.headline() != nullptr ? entry.headline()->against : "-"});
  }
  const auto accepted = std::count_if(outcome.entries.begin(), outcome.entries.end(),
                                      [](const Entry& entry) { return entry.verdict == Verdict::accepted; });
  std::string text = table.render(style) + ungraded_lines(outcome, style) + score_line(outcome);
  text += fmt::format("{}: {} accepted, {} not",
                      counted(outcome.entries.size() + outcome.ungraded.size(), "candidate"), accepted,
                      static_cast<std::ptrdiff_t>(outcome.entries.size()) - accepted);
  if (!outcome.ungraded.empty()) text += fmt::format(", {} without a verdict", outcome.ungraded.size());
  if (outcome.taken_over > 0) text += fmt::format("; {} of them from before", outcome.taken_over);
  return text + fmt::format("; {:.1f} s\n", outcome.seconds);
}

std::vector<Ungraded> ungraded_of(const SweepOutcome& outcome) {
  const std::string device = outcome.entries.empty() ? "" : outcome.entries.front().device;
  std::vector<Ungraded> all;
  for (const UngradedCandidate& one : outcome.ungraded)
    all.push_back({one.slug, one.dtype, device, one.candidate.string(), one.message, utc_now()});
  return all;
}

}  // namespace kgrade
