#include "selftest/selftest_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/shared_json.h"
#include "record/table.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Share& share) {
  return {{"count", share.count},
          {"trials", share.trials},
          {"share", share.value()},
          {"interval", json_of(share.interval())}};
}

Json json_of(const SameWork& same) {
  return {{"comparisons", same.comparisons},
          {"false_calls", json_of(same.called)},
          {"excludes_one", json_of(same.excludes_one)},
          {"median_log_error", same.median_error},
          {"log_error_95th", same.large_error},
          {"median_half_width", same.median_half_width},
          {"median_blocks", same.median_blocks},
          {"median_seconds", same.median_seconds}};
}

Json json_of(const std::vector<SlowedDown>& all) {
  Json json = Json::array();
  for (const SlowedDown& slowed : all) {
    json.push_back({{"asked", slowed.asked},
                    {"median_added", slowed.median_added},
                    {"seen", json_of(slowed.seen)},
                    {"covered", json_of(slowed.covered)},
                    {"median_bias", slowed.median_bias}});
  }
  return json;
}

Json json_of(const SelftestKernel& kernel) {
  return {{"name", kernel.name},
          {"bound_by", kernel.bound_by},
          {"target_ms", kernel.target_ms},
          {"length", kernel.length},
          {"ms_per_length", kernel.ms_per_length},
          {"pilot_ms", kernel.pilot_ms},
          {"median_ms", kernel.median_ms},
          {"overhead_limited", kernel.overhead_limited},
          {"same", json_of(kernel.same)},
          {"slowed", json_of(kernel.slowed)}};
}

Json json_of(const SelftestComparison& comparison, const std::string& kernel) {
  return {{"kernel", kernel},
          {"asked", comparison.asked},
          {"added", value_or_null(comparison.added)},
          {"lengths", {comparison.length, comparison.second_length}},
          {"ratio", comparison.ratio ? json_of(*comparison.ratio) : Json(nullptr)},
          {"problem", comparison.problem},
          {"first", json_of(comparison.first)},
          {"second", json_of(comparison.second)},
          {"launches_per_sample", comparison.launches},
          {"blocks", comparison.blocks},
          {"void_blocks", comparison.void_blocks},
          {"ended", to_string(comparison.end)},
          {"seconds", comparison.seconds}};
}

Json json_of(const Criterion& criterion) {
  return {{"name", criterion.name},
          {"what", criterion.what},
          {"share", json_of(criterion.share)},
          {"lowest", criterion.lowest},
          {"highest", criterion.highest},
          {"outcome", to_string(criterion.outcome)}};
}

Json json_of(const TelemetrySummary& telemetry) {
  return {{"absent", telemetry.absent},
          {"readings", telemetry.readings},
          {"sm_clock_mhz", json_of(telemetry.sm_clock_mhz)},
          {"power_milliwatts", json_of(telemetry.power_milliwatts)},
          {"temperature_celsius", json_of(telemetry.temperature_celsius)},
          {"clock_event_reasons", reasons_json(telemetry)},
          {"other_processes", value_or_null(telemetry.other_processes)}};
}

Json floor_json(const SelftestFloor& floor) {
  return {{"samples_ms", floor.empty_ms},
          {"summary", json_of(summarise(floor.empty_ms))},
          {"grain_ms", value_or_null(floor.grain_ms)}};
}

template <class T>
Json array_of(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(json_of(item));
  return json;
}

Json comparisons_json(const SelftestRecord& record) {
  Json json = Json::array();
  for (const SelftestComparison& c : record.comparisons) {
    json.push_back(json_of(c, record.kernels[c.kernel].name));
  }
  return json;
}

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

Json to_json(const SelftestRecord& record) {
  return {{"schema", "kgrade-selftest"},
          {"schema_version", selftest_schema_version},
          {"tool", json_of(record.tool)},
          {"started_at", record.started_at},
          {"host", json_of(record.host)},
          {"device", json_of(record.device)},
          {"sandbox", json_of(record.sandbox)},
          {"toolchain", record.toolchain},
          // Written as text, because readers that know only doubles would change a 64-bit seed.
          {"seed", std::to_string(record.seed)},
          {"effort", to_string(record.effort)},
          {"goal", json_of(record.goal)},
          {"fresh_processes", record.fresh_processes},
          {"judged", record.judged()},
          {"criteria", record.judged() ? array_of(record.criteria) : Json::array()},
          {"floor", floor_json(record.floor)},
          {"kernels", array_of(record.kernels)},
          {"all", {{"same", json_of(record.same)}, {"slowed", json_of(record.slowed)}}},
          {"disturbed", record.disturbed},
          {"refused", record.refused},
          {"comparisons", comparisons_json(record)},
          {"telemetry", json_of(record.telemetry)},
          {"notes", record.notes},
          {"stages_seconds", stages_json(record.stages)},
          {"total_seconds", record.total_seconds}};
}

std::string to_text(const SelftestRecord& record) {
  return to_json(record).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string render_table(const SelftestRecord& record, const Style& style) {
  if (!record.judged()) return head_text(record, style) + unjudged_text(record, style);
  return head_text(record, style) + floor_text(record.floor) + same_table(record, style) +
         slowed_table(record, style) + criteria_table(record, style) + notes_text(record, style) + "\n" +
         verdict_text(record, style) + "\n";
}

}  // namespace kgrade
