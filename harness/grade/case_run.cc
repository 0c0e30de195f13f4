#include "grade/case_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "grade/call_review.h"
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
    for (int round = 0; !failed_ && wants_round(round, start); ++round) {
      if (auto error = play_round(round)) return *error;
    }
    session_.arena.rise();
    finish();
    return record_;
  }

 private:
  using Failure = std::optional<Error>;

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
    draw_ = {session_.seed, static_cast<std::uint32_t>(round)};
    session_.progress(fmt::format("{}: call {}", case_.name, round + 1));
    if (auto error = call_oracle()) return error;
    const bool candidate_goes_first = round > 0 && candidate_first(session_.seed, round - 1);
    if (candidate_goes_first) call_candidate(round > 0);
    if (auto error = call_reference(round > 0)) return error;
    if (!candidate_goes_first) call_candidate(round > 0);
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
    for (const OutputComparison& output : session_.arena.compare(Player::reference)) {
      const Judgement judgement = judge(output.comparison, session_.problem.thresholds, Precision::fp32);
      if (judgement.verdict == Verdict::accepted) continue;
      return trusted_failure(
          "reference", case_,
          fmt::format("'{}' is off by {:.1e} from the oracle's", output.tensor, judgement.relative_error));
    }
    if (keep_sample) record_.reference_ms.push_back(report.elapsed_ms);
    slowest_reference_ms_ = std::max(slowest_reference_ms_, report.wall_ms);
    return std::nullopt;
  }

  Patience candidate_limit() const {
    if (session_.time_limit) return *session_.time_limit;
    const double least = session_.arena.measures_speed() ? shortest_limit_ms : shortest_emulated_limit_ms;
    return Patience(static_cast<long>(std::max(least, reference_times * slowest_reference_ms_)));
  }

  void call_candidate(bool keep_sample) {
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
    compare_outputs();
    if (!keep_sample) return;
    record_.candidate_ms.push_back(report.elapsed_ms);
    record_.candidate_wall_ms.push_back(report.wall_ms);
    record_.latency_hidden = record_.latency_hidden && report.latency_hidden;
  }

  void compare_outputs() {
    const auto comparisons = session_.arena.compare(Player::candidate);
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      const Judgement judgement = judge(comparisons[i].comparison, session_.problem.thresholds,
                                        precision_from(session_.problem.precision));
      record_.precision = std::max(record_.precision, judgement.precision);
      record_.relative_error = std::max(record_.relative_error, judgement.relative_error);
      record_.max_scaled_error = std::max(record_.max_scaled_error, judgement.max_scaled_error);
      if (judgement.verdict == Verdict::accepted) continue;
      note(
          {judgement.verdict, check_behind(judgement.verdict), describe_wrong(comparisons[i], i, judgement)});
    }
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
  double slowest_reference_ms_ = 0;
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
