#include "selftest/selftest_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "record/table.h"
#include "record/terminal.h"

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

namespace {

// In pixels.
constexpr double left = 64;
constexpr double top = 56;
constexpr double height = 360;  // of the plot
constexpr double bottom = 56;
constexpr double widest_column = 240;
constexpr double narrowest_column = 116;  // fits the longest name
constexpr double comparison_width = 5;
constexpr double padding = 10;  // within a column

// The scale extends twice the margin on either side of 1.
constexpr double margin = 0.01;
constexpr double reach = 0.02;

// Greys and hues of medium lightness are visible on white and on black.
constexpr const char* grey = "#808080";
constexpr const char* usual = "#3b82c4";
constexpr const char* without_one = "#d9822b";
constexpr const char* called = "#d43f3f";

double y_of(double ratio) {
  const double place = std::clamp((1 + reach - ratio) / (2 * reach), 0.0, 1.0);
  return top + place * height;
}

const char* colour_of(const SpeedRatio& ratio) {
  const Statement statement = ratio.statement();
  if (statement == Statement::faster || statement == Statement::slower) return called;
  return ratio.interval && !ratio.interval->contains(1) ? without_one : usual;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escape_markup(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

std::string mark(double x, const SpeedRatio& ratio) {
  const char* colour = colour_of(ratio);
  std::string svg;
  if (ratio.interval) {
    svg += line(x, y_of(ratio.interval->low), x, y_of(ratio.interval->high),
                fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", colour));
  }
  return svg + fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\"/>\n", x,
                           y_of(ratio.ratio), colour);
}

// The column of one kernel.
struct Column {
  const SelftestKernel* kernel;
  std::vector<const SpeedRatio*> ratios;
};

std::string scale(double right) {
  std::string svg;
  for (const double off : {-reach, -margin, 0.0, margin, reach}) {
    const bool bound = off == margin || off == -margin;
    svg += line(left, y_of(1 + off), right, y_of(1 + off),
                fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", grey, off == 0 ? "1.2" : "0.6",
                            bound ? " stroke-dasharray=\"5 4\"" : ""));
    svg += text_at(left - 6, y_of(1 + off) + 4, "end", off == 0 ? "1" : fmt::format("{:+.0f} %", 100 * off));
  }
  return svg;
}

std::string column(const Column& column, double x, double width, bool speed) {
  std::string svg = text_at(x + width / 2, top + height + 18, "middle", column.kernel->name);
  if (speed) svg += text_at(x + width / 2, top + height + 34, "middle", format_ms(column.kernel->median_ms));
  const double step =
      (width - 2 * padding) / static_cast<double>(std::max<std::size_t>(1, column.ratios.size()));
  for (std::size_t i = 0; i < column.ratios.size(); ++i) {
    svg += mark(x + padding + (static_cast<double>(i) + 0.5) * step, *column.ratios[i]);
  }
  return svg + line(x, top, x, top + height, fmt::format("stroke=\"{}\" stroke-width=\"0.4\"", grey));
}

std::string legend() {
  std::string svg = text_at(left, 20, "start",
                            "The same binary on both sides: speed of the second beside the first, with its "
                            "95 % interval");
  double x = left;
  for (const auto& [colour, words] :
       {std::pair{usual, "interval holds 1"}, std::pair{without_one, "interval without 1"},
        std::pair{called, "called faster or slower"}}) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"36\" r=\"4\" fill=\"{}\"/>\n", x + 4, colour);
    svg += text_at(x + 14, 40, "start", words);
    x += 170;
  }
  return svg;
}

}  // namespace

std::string render_svg(const SelftestRecord& record) {
  std::vector<Column> columns;
  for (const SelftestKernel& kernel : record.kernels) columns.push_back({&kernel, {}});
  for (const SelftestComparison& c : record.comparisons) {
    if (record.judged() && c.same_work() && c.ratio) columns[c.kernel].ratios.push_back(&*c.ratio);
  }
  std::size_t most = 0;
  for (const Column& each : columns) most = std::max(most, each.ratios.size());
  const double width =
      std::clamp(static_cast<double>(most) * comparison_width + 2 * padding, narrowest_column, widest_column);
  const double right = std::max(left + width * static_cast<double>(columns.size()), left + 560);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{2}\">\n",
      right + 16, top + height + bottom, grey);
  svg += fmt::format("<title>kgrade selftest on {}</title>\n", escape_markup(record.device.name));
  svg += legend() + scale(right);
  if (!record.judged()) {
    svg +=
        text_at((left + right) / 2, top + height / 4, "middle", "Times of this device do not measure speed.");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    svg += column(columns[i], left + static_cast<double>(i) * width, width, record.judged());
  }
  return svg + "</svg>\n";
}

}  // namespace kgrade
