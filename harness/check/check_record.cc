#include "check/check_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "record/table.h"

namespace kgrade {
namespace {

std::string place_text(const FindingPlace& place) {
  return printable_line(fmt::format("{}:{}", place.file, place.line));
}

std::string thread_text(const FindingThread& thread) {
  return fmt::format("block {}, thread {}", coordinates_text(thread.block), coordinates_text(thread.thread));
}

// The quoted line with its number.
std::string quote(const FindingPlace& place, const Style& style) {
  if (place.text.empty()) return "";
  return fmt::format("    {} {}\n", style(Colour::dim, fmt::format("{:>5} |", place.line)),
                     printable(place.text));
}

std::string seen_text(const Finding& finding) {
  std::string text;
  if (!finding.kernel.empty()) text = "kernel " + printable(finding.kernel);
  if (finding.thread) text += fmt::format("{}{}", text.empty() ? "" : ", ", thread_text(*finding.thread));
  text += fmt::format("{}case {}, {}", text.empty() ? "" : ", ", finding.first_case,
                      fmt::join(finding.passes, " "));
  if (finding.occurrences > 1) text += fmt::format(", {} times", finding.occurrences);
  return text;
}

std::string finding_text(const Finding& finding, const Style& style) {
  const std::string where = finding.place ? place_text(*finding.place) + ": " : "";
  std::string text = fmt::format("  {}{}: {}\n", style(Colour::bold, where), style(Colour::red, finding.kind),
                                 printable(finding.message));
  if (finding.place) text += quote(*finding.place, style);
  if (finding.other_place && !(finding.place && finding.place->is_at(*finding.other_place))) {
    text += quote(*finding.other_place, style);
  }
  for (const FindingWait& wait : finding.waits) {
    if (wait.place && !(finding.place && finding.place->is_at(*wait.place)))
      text += quote(*wait.place, style);
  }
  text += fmt::format("    {}\n", style(Colour::dim, seen_text(finding)));
  if (!finding.remedy.empty()) text += fmt::format("    {}\n", style(Colour::cyan, finding.remedy));
  return text;
}

// Whether the compiler's log is shown. For Python the message is the whole log, and is not repeated.
bool shows_log(const CheckedCandidate& candidate, bool verbose) {
  std::string_view log = candidate.compiler_log;
  while (log.ends_with('\n')) log.remove_suffix(1);
  return !log.empty() && log != candidate.message &&
         (verbose || candidate.status == CheckStatus::compile_error);
}

std::string headline(const CheckedCandidate& candidate, const Style& style, bool verbose) {
  const bool clean = candidate.status == CheckStatus::clean;
  std::string line =
      fmt::format("{}  {}", style(clean ? Colour::green : Colour::red, to_string(candidate.status)),
                  style(Colour::bold, printable_line(candidate.path)));
  line += lines_text(candidate.lines);
  if (!candidate.findings.empty()) line += "  " + counted(candidate.findings.size(), "finding");
  line += '\n';
  const bool is_in_log =
      shows_log(candidate, verbose) && repeats_log(candidate.message, candidate.compiler_log, verbose);
  if (!candidate.message.empty() && !is_in_log) line += fmt::format("  {}\n", printable(candidate.message));
  return line;
}

// The passes that ran: all of them, unless the candidate ended the check early.
std::vector<std::string> passes_run(const CheckRecord& record, const CheckedCandidate& candidate) {
  std::vector<std::string> names;
  for (const std::string& pass : record.passes) {
    const auto has_it = [&pass](const CheckedCase& c) {
      return std::any_of(c.passes.begin(), c.passes.end(),
                         [&pass](const PassRecord& row) { return row.pass == pass; });
    };
    if (std::any_of(candidate.cases.begin(), candidate.cases.end(), has_it)) names.push_back(pass);
  }
  return names.empty() ? record.passes : names;
}

// "ran tiny, plain in forward, reverse and shuffled order": shows what a clean result is based on.
std::string coverage_text(const CheckRecord& record, const CheckedCandidate& candidate, const Style& style) {
  std::vector<std::string> run;
  SkippedCases skipped;
  std::string text;
  for (const CheckedCase& c : candidate.cases) {
    if (c.run) {
      run.push_back(c.name);
    } else {
      skipped.add(c.name, c.message);
    }
  }
  if (!run.empty()) {
    text = fmt::format(
        "  {}\n", style(Colour::dim, fmt::format("ran {}: {}", fmt::join(passes_run(record, candidate), ", "),
                                                 fmt::join(run, ", "))));
  }
  return text + skipped.text(style);
}

std::string passes_text(const CheckedCandidate& candidate, const Style& style) {
  TextTable table({"case", "pass", "calls", "answer", "findings", "seconds", ""},
                  {false, false, true, false, true, true, false});
  for (const CheckedCase& c : candidate.cases) {
    for (const PassRecord& pass : c.passes) {
      const bool accepted = pass.verdict == Verdict::accepted;
      table.add({c.name, pass.pass, std::to_string(pass.calls),
                 style(accepted ? Colour::green : Colour::red, to_string(pass.verdict)),
                 std::to_string(pass.findings), fmt::format("{:.2f}", pass.seconds),
                 printable(pass.message)});
    }
  }
  return table.render(style);
}

std::string stages_text(const CheckRecord& record, const Style& style) {
  TextTable table({"stage", "seconds"}, {false, true});
  for (const StageTime& stage : record.stages) table.add({stage.name, fmt::format("{:.2f}", stage.seconds)});
  table.add({"total", fmt::format("{:.2f}", record.total_seconds)});
  return "\n" + table.render(style);
}

// The number of hidden cases of every candidate.
std::size_t hidden_cases(const CheckRecord& record) {
  std::size_t most = 0;
  for (const CheckedCandidate& candidate : record.candidates) {
    const auto hidden = std::count_if(candidate.cases.begin(), candidate.cases.end(),
                                      [](const CheckedCase& c) { return c.role == CaseRole::hidden; });
    most = std::max(most, static_cast<std::size_t>(hidden));
  }
  return most;
}

}  // namespace

bool needs_a_gpu(const CheckRecord& record, const CheckedCandidate& candidate) {
  return candidate.status == CheckStatus::unsupported && record.device.kind == "emulated";
}

std::string render_table(const CheckRecord& record, const Style& style, bool verbose) {
  std::string text = fmt::format("{}  {}\n", problem_text(record), style(Colour::dim, record.checker));
  for (const CheckedCandidate& candidate : record.candidates) {
    text += headline(candidate, style, verbose);
    for (const Finding& finding : candidate.findings) text += finding_text(finding, style);
    if (candidate.dropped > 0) {
      text += fmt::format("  and {} that the checker's list had no room for\n",
                          counted(candidate.dropped, "more place"));
    }
    text += coverage_text(record, candidate, style);
    if (verbose && !candidate.cases.empty()) text += passes_text(candidate, style);
    if (shows_log(candidate, verbose)) text += log_text(candidate.compiler_log, verbose);
  }
  if (record.hidden_seed)
    text += fmt::format("the same hidden shapes again: --hidden {} --hidden-seed {}\n", hidden_cases(record),
                        *record.hidden_seed);
  text += confinement_text(record.sandbox, style);
  for (const std::string& note : record.notes) {
    text += fmt::format("{} {}\n", style(Colour::yellow, "note:"), printable(note));
  }
  if (verbose) text += stages_text(record, style);
  return text;
}

}  // namespace kgrade
