#include "grade/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/defences.h"
#include "grade/call_review.h"
#include "grade/clock_check.h"
#include "grade/draws.h"
#include "grade/speed_checks.h"
#include "measure/statistics.h"

namespace kgrade {
namespace {

// For contestants of our own, which may be slow but do end.
constexpr Patience trusted_patience{300'000};

// How long a call of a candidate may take: far longer than the reference, which is as plain as a kernel can
// be.
constexpr double reference_times = 20;
constexpr double shortest_limit_ms = 2'000;
constexpr double shortest_emulated_limit_ms = 10'000;

// Calls on contents that the candidate has seen before.
constexpr int repetitions = 2;

Error trusted_failure(const std::string& who, const Case& bound, const std::string& why) {
  return {fmt::format("the {} fails on case '{}': {}", who, bound.name, why),
          "this is no fault of the candidate: check the reference source, or report it",
          {}};
}

void copy_scalars(const Problem& problem, const Case& bound, CaseRecord& record) {
  for (const Parameter& parameter : problem.parameters) {
    if (const auto found = bound.integers.find(parameter.name); found != bound.integers.end()) {
      record.parameters.insert(*found);
    }
  }
  record.real_parameters = bound.reals;
}

CaseRecord blank_record(const Problem& problem, const Case& bound) {
  CaseRecord record;
  record.name = bound.name;
  record.role = bound.role;
  record.tensor_bytes = bound.tensor_bytes(sizeof(float));
  record.flops = bound.flops;
  copy_scalars(problem, bound, record);
  return record;
}

class CaseRun {
 public:
  CaseRun(Session& session, const Case& bound, CheckList& checks)
      : session_(session),
        case_(bound),
        checks_(checks),
        measured_(bound.role == CaseRole::bench && session.arena.measures_speed()),
        plan_(plan_for(measured_, session.effort)),
        record_(blank_record(session.problem, bound)) {}

  Result<CaseRecord> run() {
    record_.run = true;
    if (auto error = seat_all()) return *error;
    const double start = session_.stages.now();
    int round = 0;
    for (; !failed_ && wants_round(round, start); ++round) {
      if (auto error = play_round(round)) return *error;
    }
    if (!failed_) {
      if (auto error = probe(round)) return *error;
    }
    session_.arena.rise();
    if (!failed_) judge_times();
    finish();
    return record_;
  }

 private:
  using Failure = std::optional<Error>;

  // What a call of the candidate is for. To the candidate they all look alike.
  enum class Purpose { warm_up, sample, repetition };

  bool wants_round(int round, double start) const {
    if (round == 0) return true;
    return plan_.wants_more(static_cast<int>(record_.candidate_ms.size()), session_.stages.now() - start);
  }

  Failure seat_all() {
    const auto timer = session_.stages.time("lend");
    for (const Player player : {Player::oracle, Player::reference, Player::candidate}) {
      auto seated = session_.arena.sit(player, case_);
      if (!seated && session_.arena.candidate_alive() && !failed_) {
        // What is missing may be what the candidate has kept since the last case.
        session_.arena.retire_candidate();
        seated = session_.arena.sit(player, case_);
        if (seated)
          note({Verdict::memory_limit, "memory", "it keeps device memory that other contestants need"});
      }
      if (!seated) return seated.error();
      if (seated->ok() || failed_) continue;
      if (player != Player::candidate) return trusted_failure("worker", case_, seated->detail);
      CallReport report;
      report.fault = seated->fault;
      report.detail = seated->detail;
      note(*review_call(report));
    }
    return std::nullopt;
  }

  // Round 0 warms up: the reference goes first, since its time sets the candidate's limit, and no sample is
  // kept.
  Failure play_round(int round) {
    draw_ = draw_of_round(session_.seed, round);
    session_.progress(fmt::format("{}: call {}", case_.name, round + 1));
    if (auto error = call_oracle()) return error;
    const Purpose purpose = round > 0 ? Purpose::sample : Purpose::warm_up;
    const bool candidate_goes_first = round > 0 && candidate_first(session_.seed, round - 1);
    if (candidate_goes_first) call_candidate(purpose);
    if (auto error = call_reference(round > 0)) return error;
    if (!candidate_goes_first) call_candidate(purpose);
    return std::nullopt;
  }

  // Calls that give no sample, to hold the samples against: the last contents once more, and new ones.
  Failure probe(int round) {
    for (int i = 0; i < repetitions && !failed_; ++i) call_candidate(Purpose::repetition);
    if (failed_ || !measured_) return std::nullopt;
    draw_ = draw_of_round(session_.seed, round);
    if (auto error = call_oracle()) return error;
    call_candidate(Purpose::warm_up);
    return std::nullopt;
  }

  Failure call_oracle() {
    const auto timer = session_.stages.time("oracle");
    const CallReport report = session_.arena.call(Player::oracle, draw_, trusted_patience);
    if (const auto finding = review_call(report)) return trusted_failure("oracle", case_, finding->message);
    return std::nullopt;
  }

  Failure call_reference(bool keep_sample) {
    const auto timer = session_.stages.time("reference");
    const CallReport report = session_.arena.call(Player::reference, draw_, trusted_patience);
    if (const auto finding = review_call(report))
      return trusted_failure("reference", case_, finding->message);
    for (const OutputComparison& output : report.outputs) {
      const Judgement judgement = judge(output.comparison, session_.problem.thresholds, Precision::fp32);
      if (judgement.verdict == Verdict::accepted) continue;
      return trusted_failure(
          "reference", case_,
          fmt::format("'{}' is off by {:.1e} from the oracle's", output.tensor, judgement.relative_error));
    }
    if (keep_sample && !(measured_ && is_small_change(draw_))) {
      record_.reference_ms.push_back(report.elapsed_ms);
    }
    reference_readings_.push_back({report.elapsed_ms, report.settled_ms, report.latency_hidden});
    slowest_reference_ms_ = std::max(slowest_reference_ms_, report.wall_ms);
    return std::nullopt;
  }

  Patience candidate_limit() const {
    if (session_.time_limit) return *session_.time_limit;
    const double least = session_.arena.measures_speed() ? shortest_limit_ms : shortest_emulated_limit_ms;
    return Patience(static_cast<long>(std::max(least, reference_times * slowest_reference_ms_)));
  }

  void call_candidate(Purpose purpose) {
    if (failed_) return;
    const auto timer = session_.stages.time("candidate");
    const CallReport report = session_.arena.call(Player::candidate, draw_, candidate_limit());
    if (auto finding = review_call(report)) {
      if (is_crash(report)) {
        finding = explain_crash(*finding, session_.arena.diagnose(case_, draw_, candidate_limit()));
        session_.arena.retire_candidate();
      }
      note(*finding);
      return;
    }
    record_.calls += 1;
    if (record_.calls == 1 || is_on(Defence::every_call_compared)) judge_outputs(report.outputs);
    if (counts_for_the_clock(purpose)) {
      readings_.push_back({report.elapsed_ms, report.settled_ms, report.latency_hidden});
    }
    least_waited_ms_ = std::min(least_waited_ms_, report.waited_ms);
    keep_time(purpose, report);
  }

  // What a candidate can do faster than its work, by looking at what it did before, acquits it of nothing.
  bool counts_for_the_clock(Purpose purpose) const {
    return purpose != Purpose::repetition && !(measured_ && is_small_change(draw_));
  }

  void keep_time(Purpose purpose, const CallReport& report) {
    if (purpose == Purpose::repetition) record_.repeated_ms.push_back(report.elapsed_ms);
    // The first call of a process has things to do that no other has.
    if (purpose == Purpose::warm_up && session_.candidate_calls > 0)
      record_.unmeasured_ms.push_back(report.elapsed_ms);
    session_.candidate_calls += 1;
    if (purpose != Purpose::sample) return;
    // Nor is it a sample: somebody could compute what has changed, and no more.
    if (measured_ && is_small_change(draw_)) return changed_ms_.push_back(report.elapsed_ms);
    record_.candidate_ms.push_back(report.elapsed_ms);
    record_.candidate_wall_ms.push_back(report.settled_ms);
    record_.latency_hidden = record_.latency_hidden && report.latency_hidden;
  }

  void judge_outputs(const std::vector<OutputComparison>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) judge_output(outputs[i], i);
  }

  void judge_output(OutputComparison output, std::size_t index) {
    if (!is_on(Defence::nonfinite_compared)) output.comparison.nonfinite_mismatches = 0;
    const Judgement judgement =
        judge(output.comparison, session_.problem.thresholds, precision_from(session_.problem.precision));
    record_.precision = std::max(record_.precision, judgement.precision);
    record_.relative_error = std::max(record_.relative_error, judgement.relative_error);
    record_.max_scaled_error = std::max(record_.max_scaled_error, judgement.max_scaled_error);
    if (judgement.verdict == Verdict::accepted) return;
    if (judgement.verdict == Verdict::low_precision && !is_on(Defence::precision_class)) return;
    note(explain_wrong(
        {judgement.verdict, check_behind(judgement.verdict), describe_wrong(output, index, judgement)}));
  }

  // A wrong output has a check of its own where the same candidate has been right on what is easier to know.
  CallFinding explain_wrong(CallFinding finding) const {
    if (is_small_change(draw_) && record_.calls > 1) {
      finding.check = "fresh_contents";
      finding.message += ", where the inputs differ from those of the call before in a few elements only";
    } else if (case_.role == CaseRole::hidden) {
      finding.check = "hidden_shapes";
    }
    return finding;
  }

  std::string describe_wrong(const OutputComparison& output, std::size_t index, const Judgement& judgement) {
    const Comparison& comparison = output.comparison;
    if (judgement.verdict == Verdict::low_precision) {
      return fmt::format("'{}' reaches {} precision (error {:.1e}), the problem asks for {}", output.tensor,
                         to_string(judgement.precision), judgement.relative_error,
                         session_.problem.precision);
    }
    const std::uint64_t elements = comparison.compared + comparison.nonfinite_mismatches;
    const std::uint64_t wrong = session_.arena.count_wrong(index, judgement.element_limit);
    const std::uint64_t worst =
        comparison.nonfinite_mismatches > 0 ? comparison.first_nonfinite_mismatch : comparison.worst_index;
    std::string text = fmt::format("'{}': {} of {} elements wrong, the worst at {}", output.tensor, wrong,
                                   elements, coordinates(worst, output.shape));
    const std::uint64_t unwritten = session_.arena.count_unwritten(index);
    if (unwritten > 0) text += fmt::format("; {} never written", unwritten);
    return text;
  }

  // What only all times together can show.
  void judge_times() {
    const bool speed = session_.arena.measures_speed();
    suspect(Defence::clock_agreement, "clock",
            unexplained_time(readings_, reference_readings_, clock_tolerance(speed)));
    suspect(Defence::idle_after_call, "idle", busy_between_calls());
    if (speed && !measured_) return;
    if (measured_) judge_bound();
    const SpeedTolerance tolerance = speed_tolerance(speed);
    for (const std::vector<double>* old : {&record_.repeated_ms, &changed_ms_}) {
      suspect(Defence::repeat_speed, "repeat_speed",
              faster_on_old_contents(record_.candidate_ms, *old, tolerance));
    }
    checks_.pass("repeat_speed");
    suspect(Defence::steady_speed, "steady_speed",
            faster_when_measured(record_.unmeasured_ms, record_.candidate_ms, tolerance));
    checks_.pass("steady_speed");
  }

  void judge_bound() {
    record_.lower_bound_ms = lower_bound_ms(case_, session_.arena.device_info());
    suspect(Defence::lower_bound, "lower_bound",
            below_the_bound(quantile(record_.candidate_ms, 0.5), record_.lower_bound_ms));
    checks_.pass("lower_bound");
  }

  void suspect(Defence defence, const char* check, const Suspicion& suspicion) {
    if (!suspicion || !is_on(defence)) return;
    if (!is_disturbed()) return note({Verdict::cheating, check, *suspicion});
    note({Verdict::unstable, check,
          *suspicion +
              "; something else uses the device, so that times prove nothing: grade again when it is free"});
  }

  // Where others use the device too, time goes by that nobody can account for: nobody is accused of that. The
  // reference's own calls show it; the candidate stands still meanwhile.
  bool is_disturbed() const {
    return session_.arena.measures_speed() &&
           (session_.device_is_shared || spread_of_overheads(reference_readings_) > longest_wait_ms);
  }

  // Somebody's kernel was in the way before every single call.
  Suspicion busy_between_calls() const {
    if (record_.calls < 3 || least_waited_ms_ < longest_wait_ms) return std::nullopt;
    return fmt::format("the device is busy between its calls, for {:.1f} ms at least", least_waited_ms_);
  }

  // The first finding is the verdict.
  void note(const CallFinding& finding) {
    checks_.fail(finding.check, fmt::format("{}: {}", case_.name, finding.message));
    if (failed_) return;
    failed_ = true;
    record_.verdict = finding.verdict;
    record_.message = finding.message;
  }

  void finish() {
    if (record_.calls == 0) record_.precision = Precision::none;
    if (!failed_) checks_.pass_all();
    if (!failed_ && case_.role == CaseRole::hidden) checks_.pass("hidden_shapes");
    if (!session_.arena.measures_speed() || failed_ || record_.candidate_ms.empty()) return;
    record_.speedup = quantile(record_.reference_ms, 0.5) / quantile(record_.candidate_ms, 0.5);
  }

  Session& session_;
  const Case& case_;
  CheckList& checks_;
  bool measured_;
  RoundPlan plan_;
  CaseRecord record_;
  Draw draw_;
  std::vector<ClockReading> readings_;
  std::vector<ClockReading> reference_readings_;
  std::vector<double> changed_ms_;  // of samples that do not count, see keep_time()
  double slowest_reference_ms_ = 0;
  double least_waited_ms_ = std::numeric_limits<double>::infinity();
  bool failed_ = false;
};

}  // namespace

Result<CaseRecord> run_case(Session& session, const Case& bound, CheckList& checks) {
  return CaseRun(session, bound, checks).run();
}

CaseRecord skipped_case(const Problem& problem, const Case& bound, const std::string& reason) {
  CaseRecord record = blank_record(problem, bound);
  record.message = reason;
  return record;
}

}  // namespace kgrade
