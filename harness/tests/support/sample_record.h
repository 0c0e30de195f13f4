// A record with a bit of everything, for the printers.
#pragma once

#include <limits>

#include "measure/block_run.h"
#include "record/record.h"

namespace kgrade::test {

inline CaseRecord case_record(const std::string& name, CaseRole role, Verdict verdict) {
  CaseRecord record;
  record.name = name;
  record.role = role;
  record.run = true;
  record.verdict = verdict;
  record.calls = 3;
  record.candidate().samples = {1.5, 1.25, 2};
  record.reference().samples = {3, 3.5, 2.5};
  record.parameters = {{"n", 3}};
  summarise_arms(record);
  return record;
}

// Two blocks that count and one that does not.
inline Measurement measurement() {
  Measurement result;
  result.goal = goal_for(Effort::normal);
  const Block block{{0, 1}, {{3, 3.5}, {1.5, 1.25}}, ""};
  const Block other{{1, 0}, {{2.5, 3}, {2, 1.5}}, ""};
  Block disturbed = block;
  disturbed.voided = "hw_thermal";
  result.processes = {{1, {block, disturbed, other}, BlockEnd::budget_spent}};
  return result;
}

inline Record sample_record() {
  Record record;
  record.tool = {"0.1.0", "0123456789abcdef0123456789abcdef01234567", false};
  record.started_at = "2026-01-02T03:04:05Z";
  record.host = {"Debian", "6.1", "x86_64", "a processor", 2, 1 << 30};
  record.device.kind = "cuda";
  record.device.name = "NVIDIA H200";
  record.device.uuid = "GPU-1";
  record.device.multiprocessors = 132;
  record.device.measures_speed = true;
  record.sandbox = {true, {{"namespaces", true, "user, PID", ""}, {"cgroup", false, "no tree", "a tree"}}};
  record.problem_slug = "scale";
  record.problem_title = "Scale";
  record.problem_sha256 = std::string(64, 'a');
  record.ceilings = Ceilings{4e12, 5e13, 4e14, 8e14, 8e14, 6e13, "wgmma", "2026-01-02T03:04:05Z"};
  record.no_baselines = "no baseline for this problem";
  record.reference = {"reference/scale.cu", std::string(64, 'b')};
  record.toolchain = "nvcc 13.0.88 -O3";
  record.seed = 18446744073709551615u;
  record.hidden_seed = 18446744073709551614u;

  CandidateRecord good;
  good.path = "good.cu";
  good.sha256 = std::string(64, 'c');
  good.scores = {{"reference", {2, Interval{1.75, 2.25}, 1}, {{1, 1}, {1.5, 1}, {2, 0}}}};
  good.checks = {{"compile", CheckOutcome::passed, ""}};
  good.cases = {case_record("tiny", CaseRole::sample, Verdict::accepted),
                case_record("large", CaseRole::bench, Verdict::accepted)};
  good.cases[1].candidate().samples = {{1.25, Purpose::repeated},
                                       {1.375, Purpose::changed},
                                       {1.75, Purpose::warm_up},
                                       {1.5, Purpose::warm_up}};
  good.cases[1].reference_before_ms = {3};
  good.cases[1].reference_after_ms = {3.25};
  good.cases[1].lower_bound_ms = 0.125;
  good.cases[1].relative_error = 4.3e-7;
  good.cases[1].measurement = measurement();
  summarise_arms(good.cases[1]);
  good.cases[1].roofline = CaseRoofline{{1, 0.5}, {1 / 3.0, 2 / 3.0}};
  good.notes = {"hot"};
  good.telemetry.readings = 3;
  good.telemetry.sm_clock_mhz = TelemetryRange{1900, 1950.5, 1980};
  good.telemetry.reasons_known = true;
  good.telemetry.reasons = {{"sw_power_cap", 0.25}};
  good.cases[1].speedups = {{"reference", {2, Interval{1.75, 2.25}, Method::within_process, 6}}};

  CandidateRecord bad = good;
  bad.path = "bad.cu";
  bad.verdict = Verdict::wrong_answer;
  bad.message = "case 'tiny': all wrong";
  bad.scores.clear();
  bad.notes.clear();
  bad.checks = {{"compile", CheckOutcome::passed, ""},
                {"outputs_match", CheckOutcome::failed, "tiny: all wrong"}};
  bad.cases[0].verdict = Verdict::wrong_answer;
  bad.cases[0].message = "all wrong";
  bad.cases[0].precision = Precision::none;
  bad.cases[0].relative_error = std::numeric_limits<double>::infinity();
  bad.cases[0].max_scaled_error = std::numeric_limits<double>::infinity();
  bad.cases[1] = CaseRecord{};
  bad.cases[1].name = "large";
  bad.cases[1].role = CaseRole::bench;
  bad.cases[1].message = "not run: the candidate's process is gone";

  record.candidates = {good, bad};
  record.stages = {{"compile", 0.5}, {"candidate", 0.25}};
  record.total_seconds = 1.5;
  return record;
}

}  // namespace kgrade::test
