// Finished results for leaderboards and comparisons.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leaderboard/entry.h"

namespace kgrade::test {

// 1 % to either side on the log scale.
inline Interval around(double speedup) { return {speedup / 1.01, speedup * 1.01}; }

// A measured case, beside the reference alone.
inline EntryCase measured(const std::string& name, double speedup, const Interval& interval) {
  EntryCase made;
  made.name = name;
  made.candidate_ms = 2 / speedup;
  made.comparisons = {{"reference", {speedup, interval, Method::within_process, 30}}};
  made.flops = 8'000'000'000;
  made.tensor_bytes = 4'000'000'000;
  made.bound_by = "memory";
  made.share = speedup / 2;
  return made;
}

// Accepted on a GPU, of these cases, without a score.
inline Entry entry(const std::string& path, std::vector<EntryCase> cases) {
  Entry made;
  made.file = "records.jsonl";
  made.started_at = "2026-01-02T03:04:05Z";
  made.tool_version = "0.1.0";
  made.slug = "scale";
  made.title = "Scale";
  made.problem_sha256 = std::string(64, 'a');
  made.reference_sha256 = std::string(64, 'b');
  made.device = "NVIDIA H200";
  made.device_kind = "cuda";
  made.times_are_speed = true;
  made.ceilings = Ceilings{4e12, 5e13, 4e14, 8e14, 8e14, 6e13, "wgmma", "2026-01-02T03:04:05Z"};
  made.effort = "normal";
  made.cache = "cold";
  made.path = path;
  made.sha256 = std::string(64, 'c');
  made.cases_run = static_cast<int>(cases.size());
  made.cases = std::move(cases);
  return made;
}

// The same of one case: as fast as the reference times `speedup`, with an interval of 1 % to both sides.
inline Entry entry(const std::string& path, double speedup) {
  Entry made = entry(path, std::vector{measured("large", speedup, around(speedup))});
  made.scores = {{"reference", {speedup, around(speedup), 1}}};
  return made;
}

inline Entry beside_baseline(Entry made, double speedup) {
  made.scores.push_back({"baseline", {speedup, around(speedup), 1}});
  made.cases[0].comparisons.push_back({"cudnn-fp32", {speedup, around(speedup), Method::within_process, 30}});
  return made;
}

inline Entry refused(Entry made, Verdict verdict, const std::string& message = "case 'tiny': all wrong") {
  made.verdict = verdict;
  made.message = message;
  made.precision = Precision::none;
  made.scores.clear();
  made.cases.clear();
  return made;
}

}  // namespace kgrade::test
