#include "record/speed_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.h"

namespace kgrade {
namespace {

std::string interval_text(const SpeedRatio& ratio) {
  if (!ratio.interval) return "";
  return fmt::format("{} to {}", ratio_text(ratio.interval->low), ratio_text(ratio.interval->high));
}

std::string statement_text(Statement statement, const Style& style) {
  const std::string word(to_string(statement));
  if (statement == Statement::faster) return style(Colour::green, word);
  return statement == Statement::slower ? style(Colour::red, word) : word;
}

std::string blocks_text(const Measurement& measurement, const CaseRecord& c) {
  std::size_t all = 0;
  std::size_t counted = 0;
  for (const ProcessBlocks& process : measurement.processes) {
    all += process.blocks.size();
    counted +=
        static_cast<std::size_t>(std::count_if(process.blocks.begin(), process.blocks.end(),
                                               [](const Block& block) { return block.voided.empty(); }));
  }
  std::string text = fmt::format("  {}: {} cache, {} blocks", c.name,
                                 measurement.cache == CacheState::warm ? "warm" : "cold", counted);
  if (all > counted) text += fmt::format(" ({} more void)", all - counted);
  const int launches = measurement.processes.front().launches;
  if (launches > 1) text += fmt::format(" of {} launches a sample", launches);
  if (measurement.processes.size() > 1) text += fmt::format(", {} processes", measurement.processes.size());
  if (c.clock) text += fmt::format(", the clock attests {:.0f} % of the time", 100 * c.clock->attested_share);
  return text + "\n";
}

}  // namespace

std::string ratio_text(double ratio) {
  if (ratio >= 100) return fmt::format("{:.0f}x", ratio);
  return fmt::format("{:.{}f}x", ratio, ratio >= 10 ? 1 : ratio >= 1 ? 2 : 3);
}

std::string speed_table(const CaseRecord& c, const Style& style) {
  if (!c.measurement || c.speedups.empty()) return "";
  const Measurement& measurement = *c.measurement;
  TextTable table(
      {"contestant", "median", "quartiles", "minimum", "roofline", "candidate is", "95 % interval", ""},
      {false, true, false, true, true, true, false, false});
  for (std::size_t arm = c.arms.size(); arm-- > 0;) {
    const Summary& summary = c.arms[arm].summary;
    std::vector<std::string> row = {
        c.arms[arm].name, format_ms(summary.median),
        fmt::format("{} to {}", format_ms(summary.first_quartile), format_ms(summary.third_quartile)),
        format_ms(summary.minimum),
        c.roofline ? fmt::format("{:.1f} %", 100 * c.roofline->shares[arm]) : "-"};
    if (arm < c.speedups.size()) {
      const SpeedRatio& ratio = c.speedups[arm].ratio;
      row.insert(row.end(),
                 {ratio_text(ratio.ratio), interval_text(ratio), statement_text(ratio.statement(), style)});
    } else {
      row.insert(row.end(), {"", "", ""});
    }
    table.add(std::move(row));
  }
  return blocks_text(measurement, c) + table.render(style, "    ");
}

std::string scores_text(const CandidateRecord& candidate) {
  std::string text;
  for (auto score = candidate.scores.rbegin(); score != candidate.scores.rend(); ++score) {
    const bool one = candidate.scores.size() == 1 || score->against == "reference";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ratio_text(score->speedup.geometric_mean),
                        one ? "the reference" : "the fastest baseline");
  }
  return text;
}

}  // namespace kgrade
