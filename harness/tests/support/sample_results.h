// Finished results for leaderboards and comparisons.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kgrade::test {

// 1 % to each side on the log scale.
inline Interval around(double speedup) { return {speedup / 1.01, speedup * 1.01}; }

// A measured case, compared with the reference alone.
inline CaseRecord measured(const std::string& name, double speedup, const Interval& interval) {
  CaseRecord made;
  made.name = name;
  made.run = true;
  made.candidate().summary = {60, 2 / speedup, 2 / speedup, 2 / speedup, 2 / speedup};
  made.speedups = {{"reference", {speedup, interval, Method::within_process, 30}}};
  made.flops = 8'000'000'000;
  made.tensor_bytes = 4'000'000'000;
  made.measurement.emplace();
  made.roofline = CaseRoofline{{1, 0.5}, {0.5, speedup / 2}};
  return made;
}

// Accepted on a GPU, with these cases, without a score.
inline Record record(const std::string& path, std::vector<CaseRecord> cases) {
  Record made;
  made.candidates.resize(1);
  made.read_from.file = "records.jsonl";
  made.started_at = "2026-01-02T03:04:05Z";
  made.tool.version = "0.1.0";
  made.problem_slug = "scale";
  made.problem_title = "Scale";
  made.problem_sha256 = std::string(64, 'a');
  made.reference.sha256 = std::string(64, 'b');
  made.device.name = "NVIDIA H200";
  made.device.kind = "cuda";
  made.device.uuid = "GPU-1";
  made.device.measures_speed = true;
  made.ceilings = Ceilings{4e12, 5e13, 4e14, 8e14, 8e14, 6e13, "wgmma", "2026-01-02T03:04:05Z"};
  made.candidate().path = path;
  made.candidate().sha256 = std::string(64, 'c');
  made.candidate().cases = std::move(cases);
  return made;
}

// The same with one case: as fast as the reference times `speedup`, with an interval of 1 % to each side.
inline Record record(const std::string& path, double speedup) {
  Record made = record(path, std::vector{measured("large", speedup, around(speedup))});
  made.candidate().scores = {{"reference", {speedup, around(speedup), 1}}};
  return made;
}

inline Record beside_baseline(Record made, double speedup) {
  made.candidate().scores.push_back({"baseline", {speedup, around(speedup), 1}});
  made.candidate().cases[0].speedups.push_back(
      {"cudnn-fp32", {speedup, around(speedup), Method::within_process, 30}});
  return made;
}

// What two records of one heat say of each other: `one` is `ratio` times as fast as `other`, which is known
// to `relative` on either side.
inline void in_same_blocks(Record& one, Record& other, double ratio, double relative = 0.001) {
  const auto add = [relative](CandidateRecord& record, const CandidateRecord& neighbour, double faster) {
    const Interval interval{faster / (1 + relative), faster * (1 + relative)};
    record.neighbours.push_back({neighbour.path,
                                 neighbour.sha256,
                                 {faster, interval, 1},
                                 {{"large", {faster, interval, Method::within_process, 30}}}});
  };
  add(one.candidate(), other.candidate(), ratio);
  add(other.candidate(), one.candidate(), 1 / ratio);
}

inline Record refused(Record made, Verdict verdict, const std::string& message = "case 'tiny': all wrong") {
  made.candidate().verdict = verdict;
  made.candidate().message = message;
  made.candidate().precision = Precision::none;
  made.candidate().scores.clear();
  made.candidate().cases.clear();
  return made;
}

}  // namespace kgrade::test
