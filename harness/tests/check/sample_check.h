// A record of `kgrade check` with a bit of everything, for the printers.
#pragma once

#include "check/check_record.h"

namespace kgrade::test {

inline Finding sample_race() {
  Finding race;
  race.kind = "race";
  race.message = "reads 4 bytes of shared memory: thread (3,0,0) wrote it at x.cu:7 with no barrier between";
  race.remedy = "put a __syncthreads() between";
  race.place = FindingPlace{"mine/x.cu", 9, "k(float*)", "out[i] = tile[t ^ 1];"};
  race.other_place = FindingPlace{"mine/x.cu", 7, "k(float*)", "tile[t] = in[i];"};
  race.kernel = "k";
  race.thread = FindingThread{{1, 0, 0}, {2, 0, 0}};
  race.other_thread = FindingThread{{1, 0, 0}, {3, 0, 0}};
  race.occurrences = 12;
  race.first_case = "tiny";
  race.passes = {"reverse", "shuffled"};
  return race;
}

inline CheckRecord sample_check() {
  CheckRecord record;
  record.tool = {"0.1.0", "0123456789abcdef0123456789abcdef01234567", false};
  record.started_at = "2026-01-02T03:04:05Z";
  record.device.kind = "emulated";
  record.sandbox = {true, {{"namespaces", true, "user, PID", ""}}};
  record.problem_slug = "scale";
  record.checker = "emulated device";
  record.seed = 18446744073709551615u;
  record.passes = {"forward", "reverse", "shuffled"};
  record.time_limit_seconds = 60;

  CheckedCase tiny;
  tiny.name = "tiny";
  tiny.run = true;
  tiny.passes = {{"forward", 2, Verdict::accepted, "", 0, 0, 0.25},
                 {"reverse", 2, Verdict::wrong_answer, "`out` is off", 1, 2, 0.5}};
  CheckedCase large;
  large.name = "large";
  large.message = "too large";

  CheckedCandidate bad;
  bad.path = "mine/x.cu";
  bad.status = CheckStatus::findings;
  Finding wrong;
  wrong.kind = "wrong_answer";
  wrong.message = "the answer is wrong in reverse order: `out` is off";
  wrong.first_case = "tiny";
  wrong.passes = {"reverse"};
  bad.findings = {sample_race(), wrong};
  bad.cases = {tiny, large};
  CheckedCandidate good;
  good.path = "good.cu";
  good.cases = {tiny};
  record.candidates = {bad, good};
  return record;
}

}  // namespace kgrade::test
