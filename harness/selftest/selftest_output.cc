#include "selftest/selftest_output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "record/table.h"

namespace kgrade {
namespace {

std::string percent(double share, int digits = 2) { return fmt::format("{:.{}f} %", 100 * share, digits); }

std::string interval_text(const Share& share) {
  const Interval interval = share.interval();
  return fmt::format("{:.1f} to {:.1f} %", 100 * interval.low, 100 * interval.high);
}

std::string count_text(const Share& share) { return fmt::format("{} of {}", share.count, share.trials); }

std::string share_text(const Share& share) {
  return share.trials == 0 ? "-" : fmt::format("{} ({})", count_text(share), interval_text(share));
}

std::string seconds_text(double seconds) { return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 0); }

std::string head_text(const SelftestRecord& record, const Style& style) {
  std::string text = fmt::format("self-test  {}\n", style(Colour::dim, record.device.name));
  const char* processes = record.fresh_processes ? "new processes for each" : "the same processes for all";
  text += fmt::format("  {} comparisons in {}, {}; seed {}\n", record.comparisons.size(),
                      seconds_text(record.total_seconds), processes, record.seed);
  if (!record.judged()) return text;
  text += fmt::format("  each until the interval's half-width is {} or {} are over",
                      percent(record.goal.half_width), seconds_text(record.goal.budget_seconds));
  if (record.goal.processes > 1) text += fmt::format(", in {} processes", record.goal.processes);
  return text + "\n";
}

std::string floor_text(const SelftestFloor& floor) {
  const Summary summary = summarise(floor.empty_ms);
  std::string text =
      fmt::format("  an empty kernel takes {} (quartiles {} to {}, {} calls)", format_ms(summary.median),
                  format_ms(summary.first_quartile), format_ms(summary.third_quartile), summary.count);
  if (floor.grain_ms) text += fmt::format("; the clock's grain is {:.3f} us", 1000 * *floor.grain_ms);
  return text + "\n";
}

std::vector<std::string> same_row(const std::string& name, const std::string& bound,
                                  const std::string& median, const SameWork& same) {
  return {name,
          bound,
          median,
          share_text(same.called),
          share_text(same.excludes_one),
          percent(same.median_error),
          percent(same.large_error),
          percent(same.median_half_width),
          fmt::format("{:.0f}", same.median_blocks),
          seconds_text(same.median_seconds)};
}

std::string same_table(const SelftestRecord& record, const Style& style) {
  TextTable table({"same binary", "bound by", "takes", "faster or slower", "interval without 1", "off by",
                   "95th", "half-width", "blocks", "each"},
                  {false, false, true, false, false, true, true, true, true, true});
  bool limited = false;
  for (const SelftestKernel& kernel : record.kernels) {
    limited = limited || kernel.overhead_limited;
    table.add(same_row(kernel.name, kernel.bound_by,
                       format_ms(kernel.median_ms) + (kernel.overhead_limited ? " *" : "  "), kernel.same));
  }
  table.add(same_row("all", "", "", record.same));
  std::string text = "\n" + table.render(style);
  if (limited) text += "  * below five times an empty kernel: limited by launching\n";
  return text;
}

void add_slowed(TextTable& table, const std::string& name, const std::vector<SlowedDown>& all) {
  for (const SlowedDown& slowed : all) {
    table.add({name, percent(slowed.asked, 0), percent(slowed.median_added), share_text(slowed.seen),
               share_text(slowed.covered), fmt::format("{:+.2f} %", 100 * slowed.median_bias)});
  }
}

std::string slowed_table(const SelftestRecord& record, const Style& style) {
  if (record.slowed.empty()) return "";
  TextTable table({"slowed down", "asked", "added", "seen as slower", "interval holds it", "bias"},
                  {false, true, true, false, false, true});
  for (const SelftestKernel& kernel : record.kernels) add_slowed(table, kernel.name, kernel.slowed);
  add_slowed(table, "all", record.slowed);
  return "\n" + table.render(style);
}

std::string bound_text(const Criterion& criterion) {
  if (criterion.lowest <= 0) return fmt::format("at most {:.0f} %", 100 * criterion.highest);
  if (criterion.highest >= 1) return fmt::format("at least {:.0f} %", 100 * criterion.lowest);
  return fmt::format("{:.0f} to {:.0f} %", 100 * criterion.lowest, 100 * criterion.highest);
}

std::string outcome_text(CriterionOutcome outcome, const Style& style) {
  const std::string word(to_string(outcome));
  if (outcome == CriterionOutcome::holds) return style(Colour::green, word);
  return style(outcome == CriterionOutcome::fails ? Colour::red : Colour::yellow, word);
}

std::string criteria_table(const SelftestRecord& record, const Style& style) {
  TextTable table({"criterion", "found", "share", "95 % interval", "asked for", ""},
                  {false, true, true, false, false, false});
  for (const Criterion& criterion : record.criteria) {
    table.add({criterion.what, count_text(criterion.share), percent(criterion.share.value()),
               interval_text(criterion.share), bound_text(criterion),
               outcome_text(criterion.outcome, style)});
  }
  return "\n" + table.render(style);
}

// Shows only the first reason why a comparison was refused.
std::string problems_text(const SelftestRecord& record, const Style& style) {
  std::string text;
  if (record.disturbed > 0) {
    text += fmt::format("  {}{} disturbed by heat or a power brake, without a figure\n",
                        style(Colour::yellow, "note: "), counted(record.disturbed, "comparison"));
  }
  if (record.refused == 0) return text;
  for (const SelftestComparison& c : record.comparisons) {
    if (c.ratio || c.end == BlockEnd::disturbed) continue;
    return text + fmt::format("  {}{} refused; the first, of {}: {}\n", style(Colour::yellow, "note: "),
                              counted(record.refused, "comparison"), record.kernels[c.kernel].name,
                              printable(c.problem));
  }
  return text;
}

std::string notes_text(const SelftestRecord& record, const Style& style) {
  std::string text = problems_text(record, style);
  for (const std::string& note : record.notes) {
    text += fmt::format("  {}{}\n", style(Colour::yellow, "note: "), printable(note));
  }
  return text + confinement_text(record.sandbox, style);
}

std::string verdict_text(const SelftestRecord& record, const Style& style) {
  if (any_fails(record)) return style(Colour::red, "The measuring protocol does not hold on this machine.");
  if (all_hold(record)) return style(Colour::green, "The measuring protocol holds on this machine.");
  return "Nothing speaks against the measuring protocol; more comparisons (--comparisons, --slowdowns) would "
         "say whether it holds.";
}

// The comparisons that went through, without times.
std::string unjudged_text(const SelftestRecord& record, const Style& style) {
  TextTable table({"kernel", "bound by", "comparisons"}, {false, false, true});
  for (std::size_t i = 0; i < record.kernels.size(); ++i) {
    Share done;
    for (const SelftestComparison& c : record.comparisons) {
      if (c.kernel == i) done.add(c.ratio.has_value());
    }
    table.add({record.kernels[i].name, record.kernels[i].bound_by, count_text(done)});
  }
  return table.render(style) + notes_text(record, style) +
         style(Colour::dim, "Times of this device do not measure speed: nothing is judged.") + "\n";
}

}  // namespace

std::string render_table(const SelftestRecord& record, const Style& style) {
  if (!record.judged()) return head_text(record, style) + unjudged_text(record, style);
  return head_text(record, style) + floor_text(record.floor) + same_table(record, style) +
         slowed_table(record, style) + criteria_table(record, style) + notes_text(record, style) + "\n" +
         verdict_text(record, style) + "\n";
}

}  // namespace kgrade
