#include "grade/candidate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/defences.h"
#include "build/linked_libraries.h"
#include "grade/call_review.h"
#include "grade/library_check.h"
#include "grade/reference_watch.h"
#include "grade/speed_checks.h"
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
    } else if (auto errors = run_built(built.library, cases); !errors.empty()) {
      return errors;
    }
    conclude();
    return record_;
  }

 private:
  Errors run_built(const std::filesystem::path& library, const std::vector<PlannedCase>& cases) {
    if (session_.reference_alone.empty()) {
      auto before = time_reference_alone(session_, cases);
      if (!before) return before.errors();
      session_.reference_alone = std::move(*before);
    }
    session_.candidate_calls = 0;
    session_.device_is_shared = session_.arena.busy_ms() > longest_wait_ms;
    // What cannot be read cannot be loaded either.
    if (auto linked = linked_libraries(library)) record_.libraries.linked = std::move(*linked);
    if (uses_allowed_libraries() && load() && uses_allowed_libraries()) {
      if (auto errors = run_cases(cases); !errors.empty()) return errors;
    }
    if (session_.arena.candidate_alive()) session_.arena.retire_candidate();
    if (auto error = session_.arena.recover()) return {*error};
    return watch_reference(cases);
  }

  // What the reference takes now is also what it takes before the next candidate.
  Errors watch_reference(const std::vector<PlannedCase>& cases) {
    auto after = time_reference_alone(session_, cases);
    if (!after) return after.errors();
    bool watched = false;
    for (CaseRecord& c : record_.cases) {
      const auto now = after->find(c.name);
      if (!c.run || now == after->end()) continue;
      c.reference_before_ms = session_.reference_alone[c.name];
      c.reference_after_ms = now->second;
      if (c.verdict != Verdict::accepted) continue;
      watched = true;
      judge_reference(c);
    }
    if (watched) checks_.pass("reference_agreement");
    session_.reference_alone = std::move(*after);
    return {};
  }

  void judge_reference(CaseRecord& c) {
    const auto suspicion = reference_disturbed({c.reference_before_ms, c.reference_ms, c.reference_after_ms});
    if (!suspicion || !is_on(Defence::reference_agreement)) return;
    c.verdict = Verdict::unstable;
    c.message = *suspicion;
    checks_.fail("reference_agreement", fmt::format("{}: {}", c.name, *suspicion));
    if (record_.verdict != Verdict::accepted) return;
    record_.verdict = c.verdict;
    record_.message = "case '" + c.name + "': " + c.message;
  }

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
    const bool lied = answer.fault == Fault::malformed;
    if (lied) verdict = Verdict::cheating;
    settle({verdict, lied ? "protocol" : "load", "while loading: " + answer.detail});
    return false;
  }

  // Looks what it has opened so far. One that may not have a library is not run any further.
  bool uses_allowed_libraries() {
    Arena& arena = session_.arena;
    std::vector<std::string>& opened = record_.libraries.opened;
    const std::vector<std::string> now = arena.candidate_alive() ? arena.opened_libraries() : opened;
    std::vector<std::string> all;
    std::set_union(opened.begin(), opened.end(), now.begin(), now.end(), std::back_inserter(all));
    opened = std::move(all);
    const auto forbidden = forbidden_library(session_.problem.libraries, record_.libraries);
    if (!forbidden) return true;
    settle({Verdict::cheating, "libraries", *forbidden});
    if (arena.candidate_alive()) arena.retire_candidate();
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
      if (!uses_allowed_libraries()) {
        result->verdict = record_.verdict;
        result->message = record_.message;
      }
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
