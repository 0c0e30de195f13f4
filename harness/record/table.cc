#include "record/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/first_names.h"
#include "base/statistics.h"
#include "base/text.h"
#include "record/advice.h"
#include "record/compiler_output.h"

namespace kgrade {
namespace {

std::string blocks_text(const Measurement& measurement, const CaseRecord& c) {
  std::size_t all = 0;
  std::size_t valid = 0;
  for (const ProcessBlocks& process : measurement.processes) {
    all += process.blocks.size();
    valid += static_cast<std::size_t>(std::count_if(process.blocks.begin(), process.blocks.end(),
                                                    [](const Block& block) { return block.voided.empty(); }));
  }
  std::string text =
      fmt::format("  {}: {} cache, {}", c.name, measurement.cache == CacheState::warm ? "warm" : "cold",
                  counted(valid, "block"));
  if (all > valid) text += fmt::format(" ({} more void)", all - valid);
  const int launches = measurement.processes.front().launches;
  if (launches > 1) text += fmt::format(" of {} launches a sample", launches);
  if (measurement.processes.size() > 1) text += fmt::format(", {} processes", measurement.processes.size());
  if (c.clock) text += fmt::format(", the clock attests {:.0f} % of the time", 100 * c.clock->attested_share);
  return text + "\n";
}

// "pytorch-tf32 (tf32)": the name of the arm. For a baseline that does not count, also its class, which may
// differ from the candidate's.
std::string arm_text(const CaseRecord& c, std::size_t arm, const Record& record) {
  const std::string& name = c.arms[arm].name;
  if (arm == 0 && record.reference.is_pytorch()) return name + " (PyTorch eager, fp32)";
  if (!c.arms[arm].is_beside) return name;
  for (const BaselineRecord& baseline : record.baselines) {
    if (baseline.name != name) continue;
    for (const BaselineCase& one : baseline.cases) {
      if (one.name == c.name) return fmt::format("{} ({})", name, to_string(one.precision));
    }
  }
  return name;
}

// A line for each arm with its times and the comparison with the candidate. Empty for a case without a
// speedup.
std::string speed_table(const CaseRecord& c, const Record& record, const Style& style) {
  if (!c.measurement || c.speedups.empty()) return "";
  const Measurement& measurement = *c.measurement;
  TextTable table(
      {"contestant", "median", "quartiles", "minimum", "roofline", "candidate is", "95 % interval", ""},
      {false, true, false, true, true, true, false, false});
  for (std::size_t arm = c.arms.size(); arm-- > 0;) {
    const Summary& summary = c.arms[arm].summary;
    std::vector<std::string> row = {
        arm_text(c, arm, record), format_ms(summary.median),
        fmt::format("{} to {}", format_ms(summary.first_quartile), format_ms(summary.third_quartile)),
        format_ms(summary.minimum),
        c.roofline ? fmt::format("{:.1f} %", 100 * c.roofline->shares[arm]) : "-"};
    if (arm < c.speedups.size() + c.others.size()) {
      const std::size_t first = c.speedups.size();
      const SpeedRatio& ratio = (arm < first ? c.speedups[arm] : c.others[arm - first]).ratio;
      const std::string interval = ratio.interval ? fmt::format("{} to {}", ratio_text(ratio.interval->low),
                                                                ratio_text(ratio.interval->high))
                                                  : "";
      const Statement statement = ratio.statement();
      std::string word(to_string(statement));
      if (statement == Statement::faster) word = style(Colour::green, word);
      if (statement == Statement::slower) word = style(Colour::red, word);
      row.insert(row.end(), {ratio_text(ratio.ratio), interval, std::move(word)});
    } else {
      row.insert(row.end(), {"", "", ""});
    }
    table.add(std::move(row));
  }
  return blocks_text(measurement, c) + table.render(style, "    ");
}

// Adds "1950 MHz (1900 to 1980)", in units of `unit`.
void add_range(std::vector<std::string>& parts, const char* what, const std::optional<TelemetryRange>& range,
               double unit, const char* name) {
  if (!range) return;
  parts.push_back(fmt::format("{} {:.0f} {} ({:.0f} to {:.0f})", what, range->median / unit, name,
                              range->minimum / unit, range->maximum / unit));
}

std::string held_down_text(const TelemetrySummary& telemetry, const Style& style) {
  std::vector<std::string> reasons;
  for (const ReasonShare& reason : telemetry.reasons)
    reasons.push_back(fmt::format("{} for {:.0f} % of the time", reason.name, 100 * reason.share));
  if (reasons.empty()) return "";
  return fmt::format("  {} {}\n", style(Colour::yellow, "clocks held down:"), fmt::join(reasons, ", "));
}

std::string telemetry_text(const TelemetrySummary& telemetry) {
  if (telemetry.readings + telemetry.failed_readings == 0) return "";
  std::vector<std::string> parts;
  add_range(parts, "SM clock", telemetry.sm_clock_mhz, 1, "MHz");
  add_range(parts, "memory clock", telemetry.memory_clock_mhz, 1, "MHz");
  add_range(parts, "power", telemetry.power_milliwatts, 1000, "W");
  add_range(parts, "of at most", telemetry.power_limit_milliwatts, 1000, "W");
  add_range(parts, "temperature", telemetry.temperature_celsius, 1, "degrees Celsius");
  if (telemetry.other_processes)
    parts.push_back(fmt::format("other processes {}", *telemetry.other_processes));
  parts.push_back(fmt::format("{} readings in {:.1f} s", telemetry.readings, telemetry.seconds));
  if (telemetry.failed_readings > 0) parts.push_back(fmt::format("{} failed", telemetry.failed_readings));
  return fmt::format("\n  telemetry: {}\n", fmt::join(parts, ", "));
}

std::string verdict_text(Verdict verdict, const Style& style) {
  return style(verdict == Verdict::accepted ? Colour::green : Colour::red, to_string(verdict));
}

// "batch_size=1, alpha=0.5"
std::string parameters_text(const CaseRecord& c) {
  std::string text;
  const auto add = [&text](const std::string& name, auto value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  };
  for (const auto& [name, value] : c.parameters) add(name, value);
  for (const auto& [name, value] : c.real_parameters) add(name, value);
  return text;
}

bool is_hidden(const CaseRecord& c) { return c.role == CaseRole::hidden; }

// A row for each case that ran, and a line for those that were skipped.
std::string cases_table(const CandidateRecord& candidate, const Record& record, const Style& style) {
  TextTable table({"case", "role", "verdict", "error", "class", "median", "reference", "speedup", ""},
                  {false, false, false, true, false, true, true, true, false});
  // Speedups over the reference do not count if the candidate's class is below the reference's. Other
  // speedups have their own table.
  const auto& beside = candidate.by_baseline;
  const bool counts =
      std::none_of(beside.begin(), beside.end(), [](const Score& s) { return s.against == "reference"; });
  const auto median_of = [&](const Arm& arm) {
    return arm.summary.count > 0 && record.device.measures_speed ? format_ms(arm.summary.median) : "-";
  };
  bool any_ran = false;
  SkippedCases skipped;
  for (const CaseRecord& c : candidate.cases) {
    any_ran = any_ran || c.run;
    if (!c.run) {
      skipped.add(c.name, c.message);
      continue;
    }
    const std::string error = c.calls == 0                      ? "-"
                              : std::isfinite(c.relative_error) ? fmt::format("{:.1e}", c.relative_error)
                                                                : "inf";
    table.add({c.name, std::string(to_string(c.role)), verdict_text(c.verdict, style), error,
               c.calls > 0 ? std::string(to_string(c.precision)) : "-", median_of(c.candidate()),
               median_of(c.reference()),
               c.speedups.empty() || !counts ? "-" : ratio_text(c.speedups.front().ratio.ratio),
               c.verdict == Verdict::accepted ? "" : printable(c.message)});
  }
  return (any_ran ? table.render(style) : "") + skipped.text(style);
}

// Describes failed hidden cases, and how to see them fail again. No file contains their shapes.
std::string hidden_failures(const CandidateRecord& candidate, const Record& record) {
  const auto hidden = std::count_if(candidate.cases.begin(), candidate.cases.end(), is_hidden);
  std::string text;
  for (const CaseRecord& c : candidate.cases) {
    if (!is_hidden(c) || !c.run || c.verdict == Verdict::accepted) continue;
    text +=
        fmt::format("  {} is {}{}\n", c.name, parameters_text(c), c.scales.empty() ? "" : "; " + c.scales);
  }
  if (text.empty() || !record.hidden_seed) return text;
  return text + fmt::format("  the same hidden shapes again: --hidden {} --hidden-seed {}\n", hidden,
                            *record.hidden_seed);
}

// With `verbose` the whole log of the compiler, otherwise the part that is about the candidate.
std::string shown_log(const std::string& log, bool verbose) {
  return verbose ? log : log_about_candidate(log);
}

bool shows_log(const CandidateRecord& candidate, bool verbose) {
  return !candidate.compiler_log.empty() && (verbose || candidate.verdict == Verdict::compile_error);
}

std::string headline(const CandidateRecord& candidate, const Style& style, bool verbose) {
  std::string line = fmt::format("{}  {}", verdict_text(candidate.verdict, style),
                                 style(Colour::bold, printable_line(candidate.path)));
  line += lines_text(candidate.lines);
  if (candidate.verdict == Verdict::accepted) {
    line += fmt::format("  {}", to_string(candidate.precision));
    if (const std::string cases = cases_text(candidate); !cases.empty()) line += "  " + cases;
  }
  if (const std::string scores = scores_text(candidate); !scores.empty()) line += "  " + scores;
  line += '\n';
  // The message is left out if it only repeats the compiler's words, which are shown below it.
  const bool repeats =
      shows_log(candidate, verbose) && repeats_log(candidate.message, candidate.compiler_log, verbose);
  if (!candidate.message.empty() && !repeats) line += fmt::format("  {}\n", printable(candidate.message));
  return line;
}

// "  by set: accepted, 0.01 / 0.01 (all 12 cases)". Empty if no case has a rule of the problem's set.
std::string by_set_text(const CandidateRecord& candidate) {
  if (!candidate.by_set) return "";
  const CandidateBySet& by_set = *candidate.by_set;
  std::string rules;
  for (const CaseRecord& c : candidate.cases) {
    const std::string rule = c.by_set ? to_string(c.by_set->rule) : "";
    if (!rule.empty() && rules != rule) rules = rules.empty() ? rule : "each case by its rule";
  }
  const auto all = counted(static_cast<std::uint64_t>(by_set.all_cases), "case");
  std::string cases = by_set.cases == by_set.all_cases ? by_set.cases > 1 ? "all " + all : all
                                                       : fmt::format("{} of {}", by_set.cases, all);
  if (!by_set.refused.empty()) cases += "; refused: " + first_names(by_set.refused, 1);
  return fmt::format("  by set: {}{}{} ({})\n", verdict_words(by_set), rules.empty() ? "" : ", ", rules,
                     cases);
}

// "  matrix units: bf16 (HGMMA)". Empty if they are not known, or not asked for.
std::string matrix_units_text(const CandidateRecord& candidate) {
  if (!candidate.matrix_units) return "";
  const std::vector<std::string>& units = *candidate.matrix_units;
  return fmt::format("  matrix units: {}\n",
                     units.empty() ? "none in its own code (libraries such as cuBLAS are not its own)"
                                   : printable_line(fmt::format("{}", fmt::join(units, ", "))));
}

// The wrong elements of the smallest case that has any.
std::string wrong_elements(const CandidateRecord& candidate) {
  const CaseRecord* const failed = smallest_failure(candidate, true);
  if (failed == nullptr) return "";
  std::string text =
      fmt::format("  wrong elements of '{}' in case '{}'{}:\n", printable(failed->wrong->tensor),
                  failed->name, failed == smallest_failure(candidate) ? ", the smallest that fails" : "");
  TextTable table({"index", "expected", "got"}, {false, true, true});
  for (const WrongElement& element : failed->wrong->examples) {
    table.add({fmt::format("[{}]", fmt::join(element.index, ", ")), printable(element.expected),
               printable(element.got)});
  }
  return text + table.render(Style(false), "    ");
}

// What a sample case printed, which helps to find a mistake.
std::string printed_text(const CaseRecord& c) {
  if (!c.printed || c.printed->lines.empty()) return "";
  std::string text = fmt::format("  printed in the first call of case '{}':\n", c.name);
  for (const std::string& line : c.printed->lines) text += fmt::format("    {}\n", printable_line(line));
  const std::uint64_t more = c.printed->more_lines;
  if (c.printed->cut_off) {
    text += more > 0 ? fmt::format("    at least {} more {}\n", more, more == 1 ? "line" : "lines")
                     : "    and more, which there was no room for\n";
  } else if (more > 0) {
    text += fmt::format("    {} more {}\n", more, more == 1 ? "line" : "lines");
  }
  return text;
}

// What the failed cases have in common. Empty if nothing is known.
std::string shared_text(const CandidateRecord& candidate) {
  const std::string shared = shared_by_failures(candidate);
  return shared.empty()
             ? ""
             : fmt::format("  all failed cases, and no accepted one, have {}\n", printable(shared));
}

std::string advice_text(const CandidateRecord& candidate, const Record& record, const Style& style) {
  std::string text = shared_text(candidate), commands;
  if (candidate.verdict == Verdict::time_limit)
    text += "  look for a loop that never ends; if it is only slow, --time-limit SECONDS allows more\n";
  for (const std::string& command : next_commands(candidate, record)) {
    commands += fmt::format("  {} {}\n", style(Colour::dim, commands.empty() ? "next:" : "     "),
                            printable(command));
  }
  return text + commands;
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
  std::string text;
  for (const std::string& note : notes)
    text += "  " + style(Colour::yellow, "note: ") + printable(note) + "\n";
  return text;
}

// What the compiler says about variables without a value, which may be why an answer is wrong.
std::string warnings_text(const CandidateRecord& candidate) {
  if (candidate.verdict != Verdict::wrong_answer && candidate.verdict != Verdict::low_precision) return "";
  constexpr std::size_t most_shown = 5;
  const auto variables = uninitialised_variables(candidate.compiler_log);
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most_shown); ++i) {
    const UninitialisedVariable& one = variables[i];
    text += fmt::format("  the compiler warns: {}:{}: {}\n", printable_line(one.file), one.line,
                        printable_line(one.message));
  }
  return text;
}

// More candidates than this that are not accepted have a few lines each.
constexpr std::ptrdiff_t most_failures_in_full = 3;

bool is_not_accepted(const CandidateRecord& candidate) { return candidate.verdict != Verdict::accepted; }

std::string whole_text(const CandidateRecord& candidate, const Record& record, const Style& style,
                       bool verbose) {
  std::string text =
      headline(candidate, style, verbose) + by_set_text(candidate) + matrix_units_text(candidate);
  const bool in_one_line = candidate.verdict == Verdict::accepted && !verbose;
  if (!candidate.cases.empty() && !in_one_line) {
    text += cases_table(candidate, record, style);
    text += hidden_failures(candidate, record) + wrong_elements(candidate);
    for (const CaseRecord& c : candidate.cases) text += speed_table(c, record, style);
    if (verbose) {
      for (const CaseRecord& c : candidate.cases) text += printed_text(c);
    }
  }
  if (record.device.measures_speed) text += held_down_text(candidate.telemetry, style);
  if (!shows_log(candidate, verbose)) text += warnings_text(candidate);
  text += advice_text(candidate, record, style);
  text += notes_text(candidate.notes, style);
  if (verbose) {
    TextTable table({"check", "outcome", "detail"});
    for (const Check& check : candidate.checks) {
      const std::string outcome = check.outcome == CheckOutcome::passed   ? style(Colour::green, "passed")
                                  : check.outcome == CheckOutcome::failed ? style(Colour::red, "failed")
                                                                          : style(Colour::dim, "not run");
      table.add({check.name, outcome, printable(check.detail)});
    }
    text += "\n" + table.render(style) + telemetry_text(candidate.telemetry);
  }
  if (shows_log(candidate, verbose)) text += log_text(candidate.compiler_log, verbose);
  return text;
}

// The verdict, that of the problem's set, the first line of the message, what the failed cases share, and one
// command.
std::string failure_in_short(const CandidateRecord& candidate, const Record& record, const Style& style) {
  const std::string message = candidate.message.substr(0, candidate.message.find('\n'));
  std::string text =
      fmt::format("{}  {}{}\n", verdict_text(candidate.verdict, style),
                  style(Colour::bold, printable_line(candidate.path)), lines_text(candidate.lines));
  if (!message.empty()) text += fmt::format("  {}\n", printable(message));
  if (candidate.by_set) text += fmt::format("  by set: {}\n", verdict_words(*candidate.by_set));
  text += shared_text(candidate);
  const std::vector<std::string> commands = next_commands(candidate, record);
  if (commands.empty()) return text;
  return text + fmt::format("  {} {}\n", style(Colour::dim, "next:"), printable(commands.front()));
}

}  // namespace

std::string render_table(const Record& record, const Style& style, bool verbose) {
  std::string device = record.device.name;
  const std::string& order = record.device.thread_order;
  if (!order.empty() && order != "forward") device += fmt::format(", threads in {} order", order);
  std::string text = fmt::format("{}  {}\n", problem_text(record), style(Colour::dim, device));
  const std::vector<CandidateRecord>& all = record.candidates;
  const auto failures = std::count_if(all.begin(), all.end(), is_not_accepted);
  const bool in_short = failures > most_failures_in_full && !verbose;
  for (const CandidateRecord& candidate : all) {
    text += in_short && is_not_accepted(candidate) ? failure_in_short(candidate, record, style)
                                                   : whole_text(candidate, record, style, verbose);
  }
  if (in_short) {
    text += fmt::format(
        "{} are shown in short: grade one alone to see its cases, or all with --verbose; `kgrade print` "
        "shows "
        "one of a record that --json wrote\n",
        counted(static_cast<std::uint64_t>(failures), "candidate"));
  }
  if (verbose) {
    TextTable stages({"stage", "seconds"}, {false, true});
    for (const StageTime& stage : record.stages)
      stages.add({stage.name, fmt::format("{:.2f}", stage.seconds)});
    stages.add({"total", fmt::format("{:.2f}", record.total_seconds)});
    text += "\n" + stages.render(style) +
            style(Colour::dim, "  Stages overlap: several compilers run beside the others.\n");
  }
  text += notes_text(record.notes, style) + confinement_text(record.sandbox, style);
  if (!record.device.measures_speed) {
    text +=
        style(Colour::dim,
              "The emulated device judges answers only: its times do not measure speed and are not shown.\n");
  }
  return text;
}

void SkippedCases::add(const std::string& name, const std::string& why) {
  const std::string option = "--case ";
  const std::string of_any = replace_all(why, option + shell_word(name), option + "NAME");
  for (Reason& known : reasons_) {
    if (known.of_any != of_any) continue;
    known.names.push_back(name);
    return;
  }
  reasons_.push_back({why, of_any, {name}});
}

std::string SkippedCases::text(const Style& style) const {
  std::string text;
  for (const Reason& reason : reasons_) {
    const std::string& why = reason.names.size() == 1 ? reason.of_one : reason.of_any;
    text += fmt::format(
        "  {}\n",
        style(Colour::dim, fmt::format("skipped {}: {}", fmt::join(reason.names, ", "), printable(why))));
  }
  return text;
}

bool repeats_log(const std::string& message, const std::string& log, bool verbose) {
  return shown_log(log, verbose).find(message) != std::string::npos;
}

std::string log_text(const std::string& log, bool verbose) {
  std::string text = (verbose ? "\n" : "") + printable(shown_log(log, verbose));
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string_view verdict_words(const CandidateBySet& by_set) {
  return by_set.verdict == SetVerdict::not_decided ? "not decided" : to_string(by_set.verdict);
}

std::string lines_text(const std::optional<LineRange>& lines) {
  if (!lines) return "";
  if (lines->first == lines->last) return fmt::format("  line {}", lines->first);
  return fmt::format("  lines {} to {}", lines->first, lines->last);
}

std::string ratio_text(double ratio) {
  if (ratio >= 100) return fmt::format("{:.0f}x", ratio);
  return fmt::format("{:.{}f}x", ratio, ratio >= 10 ? 1 : ratio >= 1 ? 2 : 3);
}

std::string scores_text(const CandidateRecord& candidate) {
  std::string text;
  for (auto score = candidate.scores.rbegin(); score != candidate.scores.rend(); ++score) {
    const bool one = score->against == "reference";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ratio_text(score->speedup.geometric_mean),
                        one ? "the reference" : "the fastest baseline");
  }
  // Published figures are for warm caches and are not compared with other figures.
  if (!text.empty() && cache_text(candidate) == "warm") text += ", with a warm cache";
  return text;
}

std::string cases_text(const CandidateRecord& candidate) {
  const auto ran = [](const CaseRecord& c) { return c.run; };
  const auto ran_or_is_measured = [](const CaseRecord& c) { return c.run || c.role == CaseRole::bench; };
  const std::vector<CaseRecord>& cases = candidate.cases;
  if (std::all_of(cases.begin(), cases.end(), ran)) return "";
  const bool only_measured =
      std::all_of(cases.begin(), cases.end(), ran_or_is_measured) && candidate.scores.empty();
  return fmt::format("{} of {}{}", std::count_if(cases.begin(), cases.end(), ran),
                     counted(cases.size(), "case"), only_measured ? "; measured ones need a GPU" : "");
}

std::string confinement_text(const SandboxRecord& sandbox, const Style& style) {
  if (sandbox.confined) return "";
  return fmt::format("{} {} (kgrade doctor)\n", style(Colour::yellow, "not confined:"),
                     sandbox.layers.empty() ? "there is no sandbox" : "namespaces are missing");
}

}  // namespace kgrade
