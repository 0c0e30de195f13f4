#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "check/check_record.h"
#include "check/finding_json.h"
#include "record/shared_json.h"

namespace kgrade {

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
