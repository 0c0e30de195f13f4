#include "grade/candidate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "base/defences.h"
#include "base/statistics.h"
#include "compile/elf_file.h"
#include "draw/draws.h"
#include "grade/case_calls.h"
#include "grade/case_choice.h"
#include "grade/contestants.h"
#include "grade/rehearsal.h"
#include "measure/clock_rule.h"
#include "measure/speedup.h"
#include "record/candidate_reports.h"
#include "verify/by_set.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

// Timed calls of the reference. A warm-up call comes first, except for long calls that were timed before.
constexpr int calls_alone = 2;
// Short calls differ more from each other.
constexpr int short_calls_alone = 7;
constexpr double short_call_ms = 1;
// A device that has been idle takes some milliseconds to reach its full speed.
constexpr double seconds_to_wake = 0.02;
// Calls of the reference that are not queued. They show the clock rule how long the protocol takes if a
// contestant waits for the device within its calls.
constexpr int unqueued_calls_alone = 2;
// Draws of calls of the reference alone: no candidate has seen these inputs or will see them.
constexpr std::uint32_t first_draw_alone = 1 << 20;
// Draws after a restart. The earlier process may have left notes on its contents.
constexpr std::uint32_t first_draw_with_room = 1 << 19;

Result<CallReport> call_alone(Session& session, const Case& bound, CallKind kind, DrawSequence& draws) {
  CallReport report = session.contest.call_as(Role::reference, kind, draws.fresh(), trusted_patience);
  if (const auto finding = review_call(report))
    return trusted_failure("reference", session.problem, bound, *finding);
  return report;
}

// `is_first`: the device may have been idle.
Result<AloneTimes> time_case(Session& session, const Case& bound, bool is_first) {
  auto lent = session.contest.lend(Role::reference, bound, 1);
  if (!lent) return lent.errors();
  if (!lent->ok()) return trusted_failure("reference", session.problem, bound, *lent);
  AloneTimes times;
  DrawSequence draws(session.seed, first_draw_alone);
  const auto before = session.known->reference_alone.find(bound.name);
  bool is_warm = before != session.known->reference_alone.end() && !before->second.ms.empty() &&
                 before->second.ms.front() >= long_call_ms;
  for (const double start = session.stages.clock().now(); !is_warm;) {
    if (auto report = call_alone(session, bound, {}, draws); !report) return report.errors();
    const bool is_asleep = is_first && session.contest.measures_speed();
    is_warm = !is_asleep || session.stages.clock().now() - start > seconds_to_wake;
  }
  int queued = calls_alone;
  for (int call = 0; call < queued + unqueued_calls_alone; ++call) {
    const CallKind kind{.ahead = call < queued, .captures = true};
    const auto report = call_alone(session, bound, kind, draws);
    if (!report) return report.errors();
    times.samples.push_back(timed_sample(*report, Purpose::compared, 1, kind));
    if (kind.ahead) times.ms.push_back(times.samples.back().reported_ms);
    // The protocol and the differences between calls are small beside a long call.
    if (times.ms.front() >= long_call_ms) break;
    if (times.ms.front() < short_call_ms) queued = short_calls_alone;
  }
  session.contest.take_back();
  return times;
}

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

// The name of the smallest case whose calls are not measured; empty if there is none.
std::string smallest_unmeasured(const std::vector<PlannedCase>& cases) {
  const PlannedCase* smallest = nullptr;
  for (const PlannedCase& planned : cases) {
    if (!planned.skipped.empty() || planned.bound.role == CaseRole::bench) continue;
    if (smallest == nullptr || planned.bound.tensor_bytes() < smallest->bound.tensor_bytes())
      smallest = &planned;
  }
  return smallest != nullptr ? smallest->bound.name : "";
}

}  // namespace

std::vector<std::size_t> running_order(const std::vector<PlannedCase>& cases) {
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return !cases[i].is_measured(); });
  return order;
}

CandidateRun::CandidateRun(Session& session, const std::vector<PlannedCase>& cases, CandidateRecord record)
    : session_(session), cases_(cases), record_(std::move(record)) {
  session_.repeated_case = smallest_unmeasured(cases_);
  session_.checks = {};
}

Errors CandidateRun::run(const std::filesystem::path& library) {
  if (session_.known->reference_alone.empty()) {
    auto before = time_reference_alone(session_, cases_);
    if (!before) return before.errors();
    session_.known->reference_alone = std::move(*before);
  }
  // Find the baselines before the candidate is on the device.
  const bool measures_at_once = std::all_of(cases_.begin(), cases_.end(), [](const PlannedCase& planned) {
    return !planned.skipped.empty() || planned.is_measured();
  });
  if (measures_at_once) {
    if (auto errors = find_baselines(); !errors.empty()) return errors;
  }
  if (auto errors = enter(library); !errors.empty()) return errors;
  if (is_in()) {
    if (auto errors = run_cases(); !errors.empty()) return errors;
    if (auto errors = run_further_processes(); !errors.empty()) return errors;
  }
  if (auto error = clean_up()) return {*error};
  auto after = time_reference_alone(session_, cases_);
  if (!after) return after.errors();
  watch_reference(session_.known->reference_alone, *after);
  session_.known->reference_alone = std::move(*after);
  return {};
}

Errors CandidateRun::enter(const std::filesystem::path& library) {
  session_.candidate_calls = 0;
  // A library that cannot be read cannot be loaded either.
  if (auto linked = linked_libraries(library)) record_.libraries.linked = std::move(*linked);
  if (!uses_allowed_libraries()) return {};
  {
    const auto timer = session_.stages.time("load");
    session_.progress("loading");
    if (!take(session_.contest.load_candidate(load_patience, patience_of_loading()))) return {};
  }
  return uses_allowed_libraries() ? rehearse() : Errors();
}

// The driver needs some time to free the memory of a process.
std::optional<Error> CandidateRun::clean_up() {
  const auto timer = session_.stages.time("clean-up");
  if (session_.contest.candidate_alive()) session_.contest.retire_candidate();
  return session_.contest.recover();
}

// The reference's times after this candidate are also its times before the next one.
void CandidateRun::watch_reference(const ReferenceAlone& before, const ReferenceAlone& after) {
  bool watched = false;
  for (CaseRecord& c : record_.cases) {
    const auto then = before.find(c.name);
    const auto now = after.find(c.name);
    if (!c.run || now == after.end()) continue;
    if (then != before.end()) c.reference_before_ms = then->second.ms;
    c.reference_after_ms = now->second.ms;
    if (c.verdict != Verdict::accepted) continue;
    if (!session_.contest.measures_speed()) continue;
    watched = true;
    const auto suspicion =
        reference_disturbed({c.reference_before_ms, counted_times(c, 0), c.reference_after_ms});
    if (!suspicion || !is_on(Defence::reference_agreement)) continue;
    c.verdict = Verdict::unstable;
    c.message = *suspicion;
    session_.checks.fail("reference_agreement", fmt::format("{}: {}", c.name, *suspicion));
    take_verdict_of(c);
  }
  if (watched) session_.checks.pass("reference_agreement");
}

Patience CandidateRun::patience_of_loading() const {
  return session_.contest.candidate_rehearses() ? rehearsal_patience : candidate_load_patience;
}

Errors CandidateRun::rehearse() {
  if (!session_.contest.candidate_rehearses()) return {};
  const auto rehearsal = kgrade::rehearse(session_, cases_);
  if (!rehearsal) return rehearsal.errors();
  failed_ = rehearsal->failed;
  if (rehearsal->finding) {
    settle(*rehearsal->finding);
  } else if (take(rehearsal->answer) && record_.python) {
    read_python_report(rehearsal->report, *record_.python);
    if (std::string note = left_out_note(rehearsal->report); !note.empty())
      record_.notes.push_back(std::move(note));
    if (session_.matrix_units != nullptr) session_.matrix_units->look_at_report(rehearsal->report);
  }
  return {};
}

// Takes the outcome of loading into the record; true if the candidate is loaded.
bool CandidateRun::take(const Answer& answer) {
  if (answer.ok()) {
    session_.checks.pass_before("completion");
    return true;
  }
  CallFinding finding = finding_of(answer.fault, answer.detail);
  session_.candidate_was_killed = session_.candidate_was_killed || finding.killed;
  if (!meaning_of(answer.fault).is_of_python) {
    if (finding.verdict != Verdict::cheating) finding.check = "load";
    // The referee had no memory for a file; the candidate has not asked for any.
    if (answer.fault == Fault::no_memory) finding.verdict = Verdict::runtime_error;
    finding.message = "while loading: " + answer.detail;
  }
  settle(finding);
  return false;
}

// Records which libraries the candidate has opened so far. A candidate with a forbidden one does not run
// any further.
bool CandidateRun::uses_allowed_libraries() {
  Contest& contest = session_.contest;
  if (contest.candidate_rehearses()) return true;  // it shares its process with the frameworks' libraries
  std::vector<std::string>& opened = record_.libraries.opened;
  const std::vector<std::string> now = contest.candidate_alive() ? contest.opened_libraries() : opened;
  std::vector<std::string> all;
  std::set_union(opened.begin(), opened.end(), now.begin(), now.end(), std::back_inserter(all));
  opened = std::move(all);
  const auto forbidden = forbidden_library(session_.problem.libraries, record_.libraries);
  if (!forbidden) return true;
  settle({Verdict::cheating, "libraries", *forbidden});
  if (contest.candidate_alive()) contest.retire_candidate();
  return false;
}

std::optional<CaseRecord> CandidateRun::unplayed(std::size_t number) {
  const PlannedCase& planned = cases_[number];
  std::string skipped = planned.skipped;
  if (skipped.empty() && !session_.contest.candidate_alive())
    skipped = "not run: the candidate's process is gone";
  CaseRecord result = blank_record(session_.problem, planned.bound);
  if (!skipped.empty()) {
    result.message = skipped;
    return result;
  }
  const auto failed = failed_.find(planned.bound.name);
  if (failed == failed_.end()) return std::nullopt;
  // Its rehearsal raised an exception.
  const CallFinding& finding = failed->second;
  session_.checks.fail(finding.check, fmt::format("{}: {}", planned.bound.name, finding.message));
  result.run = true;
  result.precision = Precision::none;
  result.verdict = finding.verdict;
  result.message = finding.message;
  return result;
}

void CandidateRun::take(std::size_t number, CaseRecord result) {
  if (result.run && !uses_allowed_libraries()) {
    result.verdict = record_.verdict;
    result.message = record_.message;
  }
  take_verdict_of(result);
  results_.emplace(number, std::move(result));
  if (results_.size() < cases_.size()) return;
  for (auto& [place, one] : results_) record_.cases.push_back(std::move(one));
}

Errors CandidateRun::run_cases() {
  for (const std::size_t i : running_order(cases_)) {
    if (cases_[i].is_measured()) {
      if (auto errors = make_way_for_baselines(); !errors.empty()) return errors;
    }
    if (auto result = unplayed(i)) {
      take(i, std::move(*result));
      continue;
    }
    auto result = run_with_room(cases_[i].bound);
    if (!result) return result.errors();
    take(i, std::move(*result));
  }
  return {};
}

// A candidate that lacked memory beside the others runs once more, in a new process that has the device to
// itself for its calls.
Result<CaseRecord> CandidateRun::run_with_room(const Case& bound) {
  const CheckList before = session_.checks;
  auto result = run_case(session_, bound);
  if (!result || result->verdict != Verdict::memory_limit || !session_.contest.insist_on_turns())
    return result;
  if (auto error = clean_up()) return *error;
  auto answer = start_anew();
  if (!answer) return answer.errors();
  session_.checks = before;
  session_.first_draw = first_draw_with_room;
  if (!take(*answer)) return result;
  if (auto errors = rehearse(); !errors.empty()) return errors;
  return record_.verdict == Verdict::accepted ? run_case(session_, bound) : result;
}

bool CandidateRun::needs_baselines() const {
  return session_.baselines != nullptr && !session_.baselines->are_known();
}

Errors CandidateRun::find_baselines() { return needs_baselines() ? session_.baselines->find() : Errors(); }

// A wrong candidate is not compared.
Errors CandidateRun::make_way_for_baselines() {
  Contest& contest = session_.contest;
  const bool is_needed = record_.verdict == Verdict::accepted && contest.candidate_alive();
  if (!needs_baselines() || !is_needed) return {};
  if (auto error = clean_up()) return {*error};
  if (auto errors = find_baselines(); !errors.empty()) return errors;
  auto answer = start_anew();
  if (!answer) return answer.errors();
  if (take(*answer) && uses_allowed_libraries()) return rehearse();
  return {};
}

Result<Answer> CandidateRun::start_anew() {
  session_.candidate_calls = 0;
  return session_.contest.start_anew(load_patience, patience_of_loading());
}

// Several processes show what differs from one process to the next.
Errors CandidateRun::run_further_processes() {
  for (int process = 1; process < processes_wanted() && record_.verdict == Verdict::accepted; ++process) {
    session_.progress(fmt::format("process {} of {}", process + 1, processes_wanted()));
    auto answer = start_anew();
    if (!answer) return answer.errors();
    if (!take(*answer) || !uses_allowed_libraries()) return {};
    if (auto errors = rehearse(); !errors.empty()) return errors;
    if (record_.verdict != Verdict::accepted) return {};
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      CaseRecord& c = record_.cases[i];
      if (!c.measurement || record_.verdict != Verdict::accepted) continue;
      if (static_cast<int>(c.measurement->processes.size()) >= kgrade::processes_wanted(c)) continue;
      if (auto error = run_case_again(session_, cases_[i].bound, c)) return {*error};
      take_verdict_of(c);
      uses_allowed_libraries();
    }
  }
  return {};
}

int CandidateRun::processes_wanted() const {
  int wanted = 1;
  for (const CaseRecord& c : record_.cases) wanted = std::max(wanted, kgrade::processes_wanted(c));
  return wanted;
}

// The first case that fails gives the verdict, except that a wrong answer replaces low precision.
void CandidateRun::take_verdict_of(const CaseRecord& c) {
  const bool says_more = record_.verdict == Verdict::low_precision && c.verdict == Verdict::wrong_answer;
  if (c.verdict == Verdict::accepted || (record_.verdict != Verdict::accepted && !says_more)) return;
  record_.verdict = c.verdict;
  record_.message = "case '" + c.name + "': " + c.message;
}

void CandidateRun::settle(const CallFinding& finding) {
  session_.checks.fail(finding.check, finding.message);
  record_.verdict = finding.verdict;
  record_.message = finding.message;
}

CandidateRecord CandidateRun::conclude() {
  // If one case shows that the answer is wrong, a smaller error in another case is not a matter of precision
  // either.
  if (record_.verdict == Verdict::wrong_answer) {
    session_.checks.withdraw("precision");
    for (CaseRecord& c : record_.cases) {
      if (c.verdict != Verdict::low_precision) continue;
      c.verdict = Verdict::wrong_answer;
      c.precision = Precision::none;
      if (!c.message_if_wrong.empty()) c.message = c.message_if_wrong;
    }
  }
  record_.checks = session_.checks.checks();
  const auto has_rule = [](const PlannedCase& planned) { return planned.bound.by_set.has_value(); };
  const auto runs_with_rule = [&](const PlannedCase& planned) {
    return has_rule(planned) && planned.skipped.empty();
  };
  const auto all_ruled = std::count_if(cases_.begin(), cases_.end(), has_rule);
  const auto planned_ruled = std::count_if(cases_.begin(), cases_.end(), runs_with_rule);
  int ran = 0;
  int failed = 0;
  for (const CaseRecord& c : record_.cases) {
    if (!c.run) continue;
    ran += 1;
    failed += c.verdict != Verdict::accepted ? 1 : 0;
    record_.precision = std::max(record_.precision, c.precision);
    if (c.same_bits) {
      if (record_.deterministic.value_or(true) && !*c.same_bits)
        record_.notes.push_back(fmt::format(
            "not deterministic: in case '{}' two calls on the same inputs gave different bits", c.name));
      record_.deterministic = record_.deterministic.value_or(true) && *c.same_bits;
    }
    for (const std::string& note : c.notes)
      record_.notes.push_back(fmt::format("case '{}': {}", c.name, note));
  }
  if (record_.python) {
    if (std::string note = functions_note(*record_.python); !note.empty())
      record_.notes.push_back(std::move(note));
  }
  if (session_.matrix_units != nullptr) {
    MatrixUnits::Found found = session_.matrix_units->found();
    record_.matrix_units = std::move(found.units);
    if (!found.problem.empty()) record_.notes.push_back("its matrix units are not known: " + found.problem);
  }
  if (ran == 0) record_.precision = Precision::none;
  record_.by_set = verdict_by_set(record_, static_cast<int>(all_ruled), static_cast<int>(planned_ruled));
  // An exception ends a case but not the run.
  if (!failed_.empty() && ran > 1) record_.message += fmt::format("; {} of {} cases failed", failed, ran);
  if (record_.verdict == Verdict::accepted) {
    const bool any_families = std::any_of(record_.cases.begin(), record_.cases.end(),
                                          [](const CaseRecord& c) { return !c.families.empty(); });
    if (ran > 0 && !any_families && is_on(Defence::fresh_inputs))
      record_.notes.emplace_back(
          "no input has families, so all calls had contents as the problem draws them");
    record_.scores = scores_of(record_.cases);
    record_.by_baseline = scores_by_baseline(record_.cases);
  }
  return std::move(record_);
}

Result<ReferenceAlone> time_reference_alone(Session& session, const std::vector<PlannedCase>& cases) {
  ReferenceAlone times;
  const auto timer = session.stages.time("reference alone");
  session.progress("the reference alone");
  for (const PlannedCase& planned : cases) {
    if (!planned.is_measured()) continue;
    auto timed = time_case(session, planned.bound, times.empty());
    if (!timed) return timed.errors();
    times[planned.bound.name] = std::move(*timed);
  }
  return times;
}

Result<CandidateRecord> run_candidate(Session& session, const BuildOutcome& built,
                                      const std::vector<PlannedCase>& cases, CandidateRecord record) {
  ModuleCases stated{cases, "", ""};
  if (built.status == BuildStatus::built) {
    stated = cases_for(built, session.problem, cases);
    if (!stated.note.empty()) record.notes.push_back(stated.note);
  }
  CandidateRun run(session, stated.cases, std::move(record));
  if (built.status != BuildStatus::built) {
    const Verdict verdict = verdict_of(built.status);
    run.settle({verdict, check_behind(verdict), built.message});
  } else if (!stated.unsupported.empty()) {
    run.settle({Verdict::unsupported, check_behind(Verdict::unsupported), stated.unsupported});
  } else if (auto errors = run.run(built.library); !errors.empty()) {
    return errors;
  }
  return run.conclude();
}

}  // namespace kgrade
