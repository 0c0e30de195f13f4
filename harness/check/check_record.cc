#include "check/check_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json_schema.h"
#include "base/text.h"
#include "check/finding.h"
#include "record/shared_json.h"
#include "record/table.h"

namespace kgrade {
namespace {

// The quoted line with its number.
std::string quote(const FindingPlace& place, const Style& style) {
  if (place.text.empty()) return "";
  return fmt::format("    {} {}\n", style(Colour::dim, fmt::format("{:>5} |", place.line)),
                     printable(place.text));
}

std::string finding_text(const Finding& finding, const Style& style) {
  const std::string where =
      finding.place ? printable_line(fmt::format("{}:{}", finding.place->file, finding.place->line)) + ": "
                    : "";
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
  std::string seen;
  if (!finding.kernel.empty()) seen = "kernel " + printable(finding.kernel);
  if (finding.thread)
    seen += fmt::format("{}block {}, thread {}", seen.empty() ? "" : ", ",
                        coordinates_text(finding.thread->block), coordinates_text(finding.thread->thread));
  seen += fmt::format("{}case {}, {}", seen.empty() ? "" : ", ", finding.first_case,
                      fmt::join(finding.passes, " "));
  if (finding.occurrences > 1) seen += fmt::format(", {} times", finding.occurrences);
  text += fmt::format("    {}\n", style(Colour::dim, seen));
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

namespace {

using Json = nlohmann::ordered_json;

// A kind of finding, or a verdict of the referee.
struct FindingKindRule {
  std::string operator()(const JsonValue& value) const { return value.text(64); }
  static Json schema() {
    std::vector<std::string_view> words;
    for (std::uint32_t kind = 1; kind <= last_finding_kind; ++kind)
      words.push_back(kind_name(static_cast<FindingKind>(kind)));
    for (const std::string_view verdict : enum_words<Verdict>) {
      if (std::find(words.begin(), words.end(), verdict) == words.end()) words.push_back(verdict);
    }
    return words_schema(words);
  }
};

constexpr auto pass_name =
    one_of("forward", "reverse", "shuffled", "memcheck", "racecheck", "initcheck", "synccheck");
constexpr const char* about_passes =
    "An order of threads on the emulated device, or a tool of compute-sanitizer on a GPU.";

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<FindingThread>& thread) {
  archive("block", thread.block);
  archive("thread", thread.thread);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<FindingWait>& wait) {
  archive("place", wait.place);
  archive("of_block", wait.barrier, "If false, the threads wait in an operation of a warp.");
  archive("threads", wait.threads);
  archive("first_thread", wait.first);
  archive("mask", wait.mask, "Of the operation of a warp.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Finding>& finding) {
  archive("kind", finding.kind, FindingKindRule{});
  archive("message", finding.message);
  archive("remedy", finding.remedy);
  archive("place", finding.place);
  archive("other_place", finding.other_place,
          "The earlier access of a race, or the allocation of memory of the candidate's own.");
  archive("kernel", finding.kernel, "Empty for host code, or if unknown.");
  archive("thread", finding.thread);
  archive("other_thread", finding.other_thread);
  archive("waits", finding.waits, "Which threads wait where, for findings about barriers.");
  archive("exited_threads", finding.exited);
  archive("occurrences", finding.occurrences, IntegerRule{1});
  archive("first_case", finding.first_case);
  archive("passes", finding.passes, items(1, most_items, pass_name), about_passes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<PassRecord>& pass) {
  archive("pass", pass.pass, pass_name, about_passes);
  archive("calls", pass.calls, from_zero, "Calls that returned.");
  archive("verdict", pass.verdict, "On answers, guard zones and faults, as the referee sees them.");
  archive("message", pass.message);
  archive("findings", pass.findings, "In this pass, before equal findings are merged.");
  archive("seconds", pass.seconds, not_negative);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CheckedCase>& c) {
  archive("name", c.name);
  archive("role", c.role);
  archive("tensor_bytes", c.tensor_bytes, any_count);
  archive("flops", c.flops, any_count);
  archive("run", c.run);
  archive("message", c.message, "Why it did not run.");
  archive("passes", c.passes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CheckedCandidate>& candidate) {
  archive("path", candidate.path);
  archive("sha256", candidate.sha256, sha256_of,
          "Of the file. If the candidate has headers, of all its files together.");
  archive("status", candidate.status);
  archive("message", candidate.message, "Why it was not built. Empty if it was.");
  archive.object("compile", [&](auto& compile) {
    compile("seconds", candidate.compile_seconds, not_negative);
    compile("log", candidate.compiler_log);
  });
  archive("findings", candidate.findings);
  archive("dropped_findings", candidate.dropped, "Findings that did not fit into the checker's list.");
  archive("cases", candidate.cases);
  archive.or_default("lines", candidate.lines, lines_rule, about_lines);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CheckRecord>& record) {
  kind_fields(archive, "kgrade-check", check_schema_version);
  run_begin_fields(archive, record, [](auto&) {});
  archive.or_default("hidden_seed", record.hidden_seed, unsigned_text, about_hidden_seed);
  archive("checker", record.checker, "What observed the accesses.");
  archive("passes", record.passes, items(1, most_items, pass_name), about_passes);
  archive("time_limit_seconds", record.time_limit_seconds, positive, "Of one call.");
  archive("notes", record.notes, "Tools that the machine lacks, and how to get them.");
  archive("candidates", record.candidates, items(1));
  run_end_fields(archive, record);
}

Json to_json(const CheckRecord& record) { return json_of(record); }

Json check_schema() {
  return schema_document<CheckRecord>(
      fmt::format("kgrade check, version {}", check_schema_version),
      "What one run of `kgrade check` found. It measures no speed and gives no verdict.");
}

std::string to_text(const CheckRecord& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
