#include "grade/candidate_run.h"

#include <algorithm>

#include "grade/call_review.h"
#include "measure/statistics.h"

namespace kgrade {
namespace {

Verdict verdict_of(BuildStatus status) {
  switch (status) {
    case BuildStatus::signature_mismatch:
      return Verdict::signature_mismatch;
    case BuildStatus::unsupported:
      return Verdict::unsupported;
    case BuildStatus::built:
    case BuildStatus::compile_error:
      break;
  }
  return Verdict::compile_error;
}

class CandidateRun {
 public:
  CandidateRun(Session& session, CandidateRecord record) : session_(session), record_(std::move(record)) {}

  Result<CandidateRecord> run(const BuildOutcome& built, const std::vector<PlannedCase>& cases) {
    record_.compile_seconds = built.seconds;
    record_.compiler_log = built.log;
    if (built.status != BuildStatus::built) {
      const Verdict verdict = verdict_of(built.status);
      settle({verdict, check_behind(verdict), built.message});
    } else if (load()) {
      if (auto errors = run_cases(cases); !errors.empty()) return errors;
    }
    conclude();
    return record_;
  }

 private:
  bool load() {
    const auto timer = session_.stages.time("load");
    session_.progress("loading");
    const Answer answer = session_.arena.load_candidate(load_patience, candidate_load_patience);
    if (answer.ok()) {
      checks_.pass_before("completion");
      return true;
    }
    Verdict verdict = answer.fault == Fault::time_limit ? Verdict::time_limit : Verdict::runtime_error;
    if (answer.fault == Fault::memory_limit) verdict = Verdict::memory_limit;
    if (answer.fault == Fault::malformed) verdict = Verdict::cheating;
    settle({verdict, "load", "while loading: " + answer.detail});
    return false;
  }

  Errors run_cases(const std::vector<PlannedCase>& cases) {
    for (const PlannedCase& planned : cases) {
      std::string skipped = planned.skipped;
      if (skipped.empty() && !session_.arena.candidate_alive())
        skipped = "not run: the candidate's process is gone";
      if (!skipped.empty()) {
        record_.cases.push_back(skipped_case(session_.problem, planned.bound, skipped));
        continue;
      }
      auto result = run_case(session_, planned.bound, checks_);
      if (!result) return result.errors();
      if (result->verdict != Verdict::accepted && record_.verdict == Verdict::accepted) {
        record_.verdict = result->verdict;
        record_.message = "case '" + result->name + "': " + result->message;
      }
      record_.cases.push_back(std::move(*result));
    }
    return {};
  }

  void settle(const CallFinding& finding) {
    checks_.fail(finding.check, finding.message);
    record_.verdict = finding.verdict;
    record_.message = finding.message;
  }

  void conclude() {
    record_.checks = checks_.checks();
    std::vector<double> speedups;
    bool ran = false;
    for (const CaseRecord& c : record_.cases) {
      if (!c.run) continue;
      ran = true;
      record_.precision = std::max(record_.precision, c.precision);
      if (c.role == CaseRole::bench && c.speedup) speedups.push_back(*c.speedup);
    }
    if (!ran) record_.precision = Precision::none;
    if (record_.verdict == Verdict::accepted && !speedups.empty()) record_.speedup = geometric_mean(speedups);
  }

  Session& session_;
  CandidateRecord record_;
  CheckList checks_;
};

}  // namespace

Result<CandidateRecord> run_candidate(Session& session, const BuildOutcome& built,
                                      const std::vector<PlannedCase>& cases, CandidateRecord record) {
  return CandidateRun(session, std::move(record)).run(built, cases);
}

}  // namespace kgrade
