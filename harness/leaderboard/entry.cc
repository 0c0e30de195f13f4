#include "leaderboard/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.h"

namespace kgrade {
namespace {

EntryCase case_of(const CaseRecord& c) {
  EntryCase one;
  one.name = c.name;
  one.candidate_ms = c.measurement
                         ? summarise(counted_samples(*c.measurement, c.measurement->arms.size() - 1)).median
                         : summarise(c.candidate_ms).median;
  one.comparisons = c.comparisons;
  one.flops = c.flops;
  one.tensor_bytes = c.tensor_bytes;
  if (!c.roofline) return one;
  one.floor_ms = c.roofline->floor.ms();
  one.bound_by = to_string(c.roofline->floor.bound_by());
  if (!c.roofline->shares.empty()) one.share = c.roofline->shares.back();
  return one;
}

Entry common_of(const Record& record) {
  Entry common;
  common.started_at = record.started_at;
  common.tool_version = record.tool.version;
  common.git_commit = record.tool.git_commit;
  common.slug = record.problem_slug;
  common.title = record.problem_title;
  common.problem_sha256 = record.problem_sha256;
  common.reference_sha256 = record.reference.sha256;
  common.dtype = record.dtype;
  common.required = record.required_precision;
  common.device = record.device.name;
  common.device_kind = record.device.kind;
  common.times_are_speed = record.device.measures_speed;
  common.toolchain = record.toolchain;
  common.ceilings = record.ceilings;
  common.effort = to_string(record.effort);
  common.seconds = record.total_seconds / std::max(1.0, static_cast<double>(record.candidates.size()));
  return common;
}

void add_case(const CaseRecord& c, Entry& entry) {
  ++(c.run ? entry.cases_run : entry.cases_skipped);
  if (!c.run) return;
  if (c.measurement) entry.cache = c.measurement->cache == CacheState::warm ? "warm" : "cold";
  if (!c.comparisons.empty() && entry.verdict == Verdict::accepted) entry.cases.push_back(case_of(c));
}

}  // namespace

std::string problem_name(const std::string& slug, Dtype dtype) {
  return dtype == Dtype::float32 ? slug : fmt::format("{} ({})", slug, to_string(dtype));
}

std::vector<Entry> entries_of(const Record& record) {
  std::vector<Entry> entries;
  for (const CandidateRecord& candidate : record.candidates) {
    Entry entry = common_of(record);
    entry.path = candidate.path;
    entry.sha256 = candidate.sha256;
    entry.verdict = candidate.verdict;
    entry.message = candidate.message;
    entry.precision = candidate.precision;
    entry.scores = candidate.scores;
    for (const CaseRecord& c : candidate.cases) add_case(c, entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace kgrade
