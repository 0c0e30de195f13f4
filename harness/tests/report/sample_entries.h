// Finished results for leaderboards.
#pragma once

#include <string>

#include "report/entry.h"

namespace kgrade::test {

// 1 % to either side on the log scale.
inline Interval around(double speedup) { return {speedup / 1.01, speedup * 1.01}; }

// Accepted on a GPU, of one measured case, beside the reference alone.
inline Entry entry(const std::string& path, double speedup) {
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
  made.scores = {{"reference", {speedup, around(speedup), 1}}};
  EntryCase measured;
  measured.name = "large";
  measured.candidate_ms = 2 / speedup;
  measured.comparisons = {{"reference", {speedup, around(speedup), Method::within_process, 30}}};
  measured.flops = 8'000'000'000;
  measured.tensor_bytes = 4'000'000'000;
  measured.bound_by = "memory";
  measured.share = speedup / 2;
  made.cases = {measured};
  made.cases_run = 1;
  return made;
}

inline Entry beside_baseline(Entry made, double speedup) {
  made.scores.push_back({"baseline", {speedup, around(speedup), 1}});
  made.cases[0].comparisons.push_back({"cudnn-fp32", {speedup, around(speedup), Method::within_process, 30}});
  return made;
}

inline Entry refused(Entry made, Verdict verdict) {
  made.verdict = verdict;
  made.message = "case 'tiny': all wrong";
  made.precision = Precision::none;
  made.scores.clear();
  made.cases.clear();
  return made;
}

}  // namespace kgrade::test
