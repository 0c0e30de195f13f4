#include "check/check_candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "draw/draws.h"
#include "grade/case_choice.h"
#include "record/compiler_output.h"
#include "verify/checks.h"
#include "verify/judgement.h"
#include "verify/wrong_output.h"

namespace kgrade {
namespace {

CheckStatus status_of(BuildStatus status) {
  switch (status) {
    case BuildStatus::signature_mismatch:
      return CheckStatus::signature_mismatch;
    case BuildStatus::unsupported:
      return CheckStatus::unsupported;
    case BuildStatus::built:
    case BuildStatus::compile_error:
      break;
  }
  return CheckStatus::compile_error;
}

bool is_about_the_answer(const std::string& kind) {
  return kind == to_string(Verdict::wrong_answer) || kind == to_string(Verdict::low_precision);
}

// Whether the verdict means that a candidate cannot be checked. A Python candidate may get such a verdict
// when it is loaded or called. Any other candidate gets one only when it is built.
bool is_refusal(Verdict verdict) {
  return verdict == Verdict::unsupported || verdict == Verdict::signature_mismatch ||
         verdict == Verdict::compile_error;
}

class CandidateCheck {
 public:
  CandidateCheck(CheckSession& session, const EvidenceReader& read, CheckedCandidate record)
      : session_(session), read_(read), record_(std::move(record)) {}

  Result<CheckedCandidate> run(const BuildOutcome& built, const std::vector<PlannedCase>& cases) {
    record_.compile_seconds = built.seconds;
    record_.compiler_log = built.log;
    if (built.status != BuildStatus::built) {
      record_.status = status_of(built.status);
      record_.message = built.message;
      return record_;
    }
    const ModuleCases stated = cases_for(built, session_.problem, cases);
    if (stated.unsupported.empty()) return run_built(stated.cases);
    record_.status = CheckStatus::unsupported;
    record_.message = stated.unsupported;
    return record_;
  }

 private:
  Result<CheckedCandidate> run_built(const std::vector<PlannedCase>& cases) {
    for (const PlannedCase& planned : cases) {
      CheckedCase& blank = record_.cases.emplace_back();
      blank.name = planned.bound.name;
      blank.role = planned.bound.role;
      blank.tensor_bytes = planned.bound.tensor_bytes();
      blank.flops = planned.bound.flops;
      blank.message = planned.skipped;
      blank.run = planned.skipped.empty();
      if (!planned.skipped.empty()) continue;
      if (!ended_by_.empty()) {
        record_.cases.back().run = false;
        record_.cases.back().message = fmt::format("not run: the candidate {} before", ended_by_);
        continue;
      }
      if (auto errors = run_case(planned.bound, record_.cases.back()); !errors.empty()) return errors;
      if (!refused_) continue;
      // A candidate in Python cannot be checked, as loading it or calling it has shown.
      record_.status = refused_->verdict == Verdict::unsupported          ? CheckStatus::unsupported
                       : refused_->verdict == Verdict::signature_mismatch ? CheckStatus::signature_mismatch
                                                                          : CheckStatus::compile_error;
      record_.message = refused_->message;
      record_.cases.clear();
      return record_;
    }
    conclude();
    return record_;
  }

  Errors run_case(const Case& bound, CheckedCase& record) {
    const Draw draw{session_.seed, 0};
    evidence_.clear();
    session_.progress(fmt::format("{}: oracle", bound.name));
    const auto lent = session_.contest.lend(Role::oracle, bound, 1);
    if (!lent) return lent.errors();
    if (!lent->ok()) return {trusted_failure("oracle", session_.problem, bound, *lent)};
    if (auto errors = learn_scales(bound); !errors.empty()) return errors;
    if (const auto report = call_oracle(bound, draw); !report) return report.errors();
    scales_.add(session_.contest.sample_expected());
    session_.contest.compare_by(scales_.magnitudes());
    for (const CheckPass& pass : session_.passes) {
      if (!ended_by_.empty() || refused_) break;
      session_.progress(fmt::format("{}: {}", bound.name, pass.name));
      if (auto errors = run_pass(bound, pass, draw, record); !errors.empty()) return errors;
    }
    note_unexplained(record);
    return {};
  }

  // Learns the scales of the outputs from other draws. At least one is needed, to measure how far the answers
  // to different inputs are apart.
  Errors learn_scales(const Case& bound) {
    scales_ = {};
    DrawSequence draws(session_.seed, 1);
    const Precision required = precision_from(session_.problem.precision);
    std::vector<Samples> calls;
    for (int call = std::max(1, ExpectedScales::draws_of(bound, required)); call > 0; --call) {
      const auto report = call_oracle(bound, draws.fresh());
      if (!report) return report.errors();
      calls.push_back(session_.contest.sample_expected());
    }
    scales_.learn_from(calls);
    return {};
  }

  Result<CallReport> call_oracle(const Case& bound, const Draw& draw) {
    const auto timer = session_.stages.time("oracle");
    CallReport report = session_.contest.call(Role::oracle, draw, trusted_patience);
    if (const auto failure = review_call(report)) {
      return trusted_failure("oracle", session_.problem, bound, *failure);
    }
    return report;
  }

  Errors run_pass(const Case& bound, const CheckPass& pass, const Draw& draw, CheckedCase& record) {
    const double start = session_.stages.now();
    const auto timer = session_.stages.time(pass.name);
    PassRecord row;
    row.pass = pass.name;
    auto evidence = evidence_of(pass, bound, draw, row);
    // A signal from outside may not be the candidate's fault, so the pass is repeated once.
    if (evidence && seen_ && seen_->killed) evidence = evidence_of(pass, bound, draw, row);
    if (!evidence) return evidence.errors();
    if (seen_ && is_refusal(seen_->verdict)) refused_ = seen_;
    note(read_(*evidence, bound, row.calls), bound, row);
    record_.dropped += evidence->dropped;
    row.seconds = session_.stages.now() - start;
    record.passes.push_back(std::move(row));
    return {};
  }

  Result<Evidence> evidence_of(const CheckPass& pass, const Case& bound, const Draw& draw, PassRecord& row) {
    seen_.reset();
    row.calls = row.failed_call = 0;
    auto entered = session_.contest.enter(pass, bound);
    if (!entered) return entered.errors();
    int attempted = 0;
    if (!entered->ok()) {
      see_failed_start(*entered);
    } else {
      for (bool goes_on = true; goes_on && attempted < calls_in_a_pass;) {
        ++attempted;
        goes_on = call_goes_on(bound, draw, row);
        if (seen_ && row.failed_call == 0) row.failed_call = attempted;
      }
    }
    return session_.contest.leave();
  }

  void see_failed_start(const Answer& answer) {
    CallReport report;
    report.fault = answer.fault;
    report.detail = answer.detail;
    if (!meaning_of(answer.fault).is_of_python) report.detail.insert(0, "while loading: ");
    seen_ = review_call(report);
    note_exception(report);
  }

  // Ends the check after a Python exception: other passes would only raise the same exception.
  void note_exception(const CallReport& report) {
    if (report.fault == Fault::raised) ended_by_ = "raised an exception";
  }

  // False if there can be no further call.
  bool call_goes_on(const Case& bound, const Draw& draw, PassRecord& row) {
    const CallReport report = session_.contest.call(Role::candidate, draw, session_.time_limit);
    if (report.fault == Fault::none) row.calls += 1;
    if (const auto failure = review_call(report)) {
      see(*failure);
      if (failure->verdict == Verdict::time_limit) ended_by_ = "ran into the time limit";
      note_exception(report);
      return report.fault == Fault::none && !is_crash(report);
    }
    failed_launch_ = failed_launch_text(report);
    for (std::size_t i = 0; i < report.outputs.size(); ++i) judge_output(bound, report.outputs[i], i, draw);
    return true;
  }

  void judge_output(const Case& bound, const OutputErrors& output, std::size_t index, const Draw& draw) {
    const Judgement judgement =
        judge(output, index, session_.problem, bound, scales_, precision_from(session_.problem.precision));
    if (judgement.verdict == Verdict::accepted || seen_) return;
    see({judgement.verdict, check_behind(judgement.verdict),
         with_failed_launch(failed_launch_, describe_output(bound, output, judgement, index, draw))});
  }

  std::string describe_output(const Case& bound, const OutputErrors& output, const Judgement& judgement,
                              std::size_t index, const Draw& draw) {
    const std::string worst = coordinates_of_worst(output);
    std::optional<OutputValues> values;
    if (judgement.verdict == Verdict::wrong_answer && output.compare != Comparison::Kind::quantised)
      values = session_.contest.examine(bound, index, draw, std::nullopt, session_.time_limit);
    const WrongOutput wrong = values ? wrong_output(*values, judgement.element_limit) : WrongOutput{};
    // The number of wrong elements is unknown, or the errors are too small to show in floats.
    if (wrong.wrong == 0) {
      return fmt::format("`{}` has an error of {:.1e}, the worst at {}", output.tensor,
                         judgement.relative_error, worst);
    }
    const std::string how = kgrade::describe(wrong);
    return fmt::format("{} of {} elements of `{}`, the worst at {}{}{}", wrong.wrong, wrong.elements,
                       output.tensor, worst, how.empty() ? "" : "; ", how);
  }

  // The first failure becomes the pass's verdict.
  void see(const CallFinding& failure) {
    if (!seen_) seen_ = failure;
    if (session_.stops_at_failure && ended_by_.empty()) ended_by_ = "failed";
  }

  void note(const std::vector<Finding>& evidence, const Case& bound, PassRecord& row) {
    for (const Finding& finding : evidence) list_.add(finding, bound.name, row.pass);
    evidence_.insert(evidence_.end(), evidence.begin(), evidence.end());
    row.findings = evidence.size();
    if (!seen_) return;
    row.verdict = seen_->verdict;
    row.message = seen_->message;
  }

  // Called after all passes of a case, because the findings of one tool explain failures under another.
  void note_unexplained(CheckedCase& record) {
    for (PassRecord& row : record.passes) {
      if (row.verdict == Verdict::accepted || explains(evidence_, row.verdict)) continue;
      list_.add(finding_of(row), record.name, row.pass);
      row.findings += 1;
    }
  }

  // The finding for a failure that the referee saw. It has no place in the source.
  Finding finding_of(const PassRecord& row) const {
    Finding finding;
    finding.kind = to_string(row.verdict);
    finding.message = row.message;
    finding.remedy = remedy_for(row.verdict);
    if (row.verdict == Verdict::runtime_error && !session_.passes_are_orders) {
      finding.remedy =
          "host code that dereferences a device pointer ends so; --device emulated finds its line";
    }
    return finding;
  }

  // If the answer is wrong, reports the compiler's warnings about uninitialised variables as possible causes.
  // (On the emulated device, such variables hold a pattern.) A candidate can choose the file names in the
  // compiler's log, so only the candidate's own file is quoted.
  void note_uninitialised() {
    const std::vector<Finding> found = list_.findings();
    const auto wrong = std::find_if(found.begin(), found.end(),
                                    [](const Finding& finding) { return is_about_the_answer(finding.kind); });
    if (wrong == found.end()) return;
    QuotedSource source;
    for (const UninitialisedVariable& variable : uninitialised_variables(record_.compiler_log)) {
      if (variable.file != record_.path) continue;
      Finding finding;
      finding.kind = kind_name(FindingKind::uninitialized_read);
      finding.message = "the compiler warns: " + variable.message;
      finding.remedy = "give the variable a value where it is declared";
      finding.place = source.place({variable.file, variable.line, ""});
      list_.add(std::move(finding), wrong->first_case, wrong->passes.front());
    }
  }

  // If one case or pass has a wrong answer, the smaller errors of other cases and passes are not reported as
  // low precision: they count as wrong answers too.
  void leave_precision_out_if_wrong() {
    const auto is_wrong = [](const Finding& finding) {
      return finding.kind == to_string(Verdict::wrong_answer);
    };
    if (std::none_of(record_.findings.begin(), record_.findings.end(), is_wrong)) return;
    std::erase_if(record_.findings,
                  [](const Finding& finding) { return finding.kind == to_string(Verdict::low_precision); });
    for (CheckedCase& c : record_.cases) {
      for (PassRecord& pass : c.passes) {
        if (pass.verdict == Verdict::low_precision) pass.verdict = Verdict::wrong_answer;
      }
    }
  }

  void conclude() {
    note_uninitialised();
    record_.findings = list_.findings();
    leave_precision_out_if_wrong();
    for (Finding& finding : record_.findings) {
      if (is_about_the_answer(finding.kind)) finding.message = answer_text(finding);
    }
    if (!record_.findings.empty()) record_.status = CheckStatus::findings;
  }

  std::string answer_text(const Finding& finding) const {
    const std::string passes = fmt::format("{}", fmt::join(finding.passes, " and "));
    std::string where = session_.passes_are_orders ? fmt::format("in {} order", passes) : "under " + passes;
    if (finding.passes.size() == session_.passes.size()) where = "in every run";
    return fmt::format("the answer is wrong {}: {}", where, finding.message);
  }

  CheckSession& session_;
  const EvidenceReader& read_;
  CheckedCandidate record_;
  FindingList list_;
  ExpectedScales scales_;            // of the current case
  std::string ended_by_;             // why no further pass runs, as it would end the same way; usually empty
  std::vector<Finding> evidence_;    // of all passes of this case
  std::optional<CallFinding> seen_;  // the first failure that the referee saw in this pass
  std::optional<CallFinding> refused_;
  std::string failed_launch_;  // of the latest call: failed_launch_text(); empty: none failed
};

}  // namespace

Result<CheckedCandidate> check_candidate(CheckSession& session, const BuildOutcome& built,
                                         const std::vector<PlannedCase>& cases, const EvidenceReader& read,
                                         CheckedCandidate record) {
  return CandidateCheck(session, read, std::move(record)).run(built, cases);
}

}  // namespace kgrade
