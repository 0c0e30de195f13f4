#include "check/check_github.h"

#include <fmt/format.h>

#include "record/ci_formats.h"

namespace kgrade {
namespace {

// A row of the summary. It is also an annotation unless it is clean.
struct CheckEntry {
  std::string problem;
  std::string path;
  std::string result;  // "race"
  std::string message;
  std::string file;  // of the annotation
  int line = 0;      // in `file`; 0: unknown
};

struct CheckEntries {
  std::vector<CheckEntry> bad;
  std::vector<CheckEntry> for_gpu;
  std::vector<CheckEntry> clean;
};

CheckEntry entry_of(const CheckRecord& record, const CheckedCandidate& candidate) {
  const int line =
      candidate.status == CheckStatus::compile_error ? line_named(candidate.message, candidate.path) : 0;
  return {problem_text(record), candidate.path, std::string(to_string(candidate.status)),
          candidate.message,    candidate.path, line};
}

CheckEntry entry_of(const CheckRecord& record, const CheckedCandidate& candidate, const Finding& finding) {
  CheckEntry entry = entry_of(record, candidate);
  entry.result = finding.kind;
  entry.message = finding.message;
  if (!finding.place) return entry;
  entry.file = finding.place->file;
  entry.line = finding.place->line;
  return entry;
}

CheckEntries entries_of(const std::vector<CheckRecord>& records) {
  CheckEntries entries;
  for (const CheckRecord& record : records) {
    for (const CheckedCandidate& candidate : record.candidates) {
      if (candidate.status == CheckStatus::clean) {
        entries.clean.push_back(entry_of(record, candidate));
      } else if (needs_a_gpu(record, candidate)) {
        entries.for_gpu.push_back(entry_of(record, candidate));
      } else if (candidate.findings.empty()) {
        entries.bad.push_back(entry_of(record, candidate));
      }
      for (const Finding& finding : candidate.findings)
        entries.bad.push_back(entry_of(record, candidate, finding));
    }
  }
  return entries;
}

std::string annotation(const char* level, const CheckEntry& entry) {
  return github_annotation(level, entry.file, entry.line, entry.result + ": " + entry.problem, entry.message);
}

std::string place_of(const CheckEntry& entry) {
  return entry.line > 0 ? markdown_code(fmt::format("{}:{}", entry.file, entry.line)) + ": " : "";
}

std::string row(const CheckEntry& entry, bool bad) {
  const std::string message = entry.message.empty() ? "" : markdown_code(entry.message) + " ";
  return fmt::format("| {} | {} | {} | {}{}|\n", entry.problem, markdown_code(entry.path),
                     bad ? "**" + entry.result + "**" : entry.result, place_of(entry), message);
}

}  // namespace

std::string github_annotations(const std::vector<CheckRecord>& records) {
  const CheckEntries entries = entries_of(records);
  std::string text;
  std::string others;
  const CheckEntry* before = nullptr;
  for (const CheckEntry& entry : entries.bad) {
    const bool first = before == nullptr || before->path != entry.path || before->problem != entry.problem;
    (first ? text : others) += annotation("error", entry);
    before = &entry;
  }
  text += others;
  for (const CheckEntry& entry : entries.for_gpu) text += annotation("notice", entry);
  return text;
}

std::string github_summary(const std::vector<CheckRecord>& records) {
  const CheckEntries entries = entries_of(records);
  std::size_t all = 0;
  for (const CheckRecord& record : records) all += record.candidates.size();
  std::string text = fmt::format("### kgrade check: {} of {} clean", entries.clean.size(), all);
  if (!entries.for_gpu.empty())
    text += fmt::format(", {} unsupported on this machine", entries.for_gpu.size());
  text += "\n\n| problem | candidate | result | |\n| --- | --- | --- | --- |\n";
  std::size_t left_out = 0;
  const auto add = [&](const std::vector<CheckEntry>& some, bool bad) {
    for (const CheckEntry& entry : some) {
      if (text.size() < most_summary_bytes)
        text += row(entry, bad);
      else
        ++left_out;
    }
  };
  add(entries.bad, true);
  add(entries.for_gpu, false);
  add(entries.clean, false);
  if (left_out > 0) text += fmt::format("\n{} more are left out.\n", left_out);
  return text + "\n";
}

}  // namespace kgrade
