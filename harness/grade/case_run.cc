#include "grade/case_run.h"

#include <fmt/format.h>

#include "grade/case_calls.h"
#include "grade/measured_case.h"
#include "measure/roofline.h"
#include "measure/speed_checks.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

class CaseRun {
 public:
  // `before`: the measurement of the processes before this one.
  CaseRun(Session& session, const Case& bound, CheckList& checks, const Measurement* before = nullptr)
      : session_(session),
        case_(bound),
        checks_(checks),
        before_(before),
        measured_(bound.role == CaseRole::bench && session.arena.measures_speed()),
        calls_(session, bound, checks) {}

  std::optional<Error> run() {
    auto trouble = case_.role == CaseRole::bench ? run_blocks() : run_rounds();
    if (trouble) return trouble;
    if (session_.arena.takes_turns())
      note(
          "the GPU has no room for all contestants: each had it for its calls alone, after one call that "
          "does not count");
    session_.arena.take_back();
    summarise_arms(record());
    if (!calls_.failed()) judge_times();
    finish();
    return std::nullopt;
  }

  CaseRecord& record() { return calls_.record(); }

 private:
  using Trouble = CaseCalls::Trouble;

  Trouble run_blocks() {
    const int process = before_ != nullptr ? static_cast<int>(before_->processes.size()) : 0;
    std::optional<int> launches;
    if (process > 0) launches = before_->processes.front().launches;
    MeasuredCase measured(session_, case_, calls_, process, launches);
    if (auto trouble = measured.run()) return trouble;
    return calls_.failed() ? std::nullopt : measured.probe();
  }

  Trouble run_rounds() {
    auto trouble = calls_.lend_buffers({Role::oracle, Role::reference, Role::candidate}, 1);
    DrawSequence draws(session_.seed, session_.first_draw);
    for (const Purpose purpose : {Purpose::warm_up, Purpose::compared, Purpose::changed, Purpose::changed}) {
      if (trouble || calls_.failed()) return trouble;
      session_.progress(fmt::format("{}: call {}", case_.name, record().calls + 1));
      trouble = play_round(purpose == Purpose::changed ? draws.changed() : draws.fresh(), purpose);
    }
    return trouble;
  }

  // On the contents of the last call, or on contents of which only a few elements are new.
  Suspicion faster_on_any_old_contents(const SpeedTolerance& tolerance) {
    const std::vector<double> samples = candidate_times();
    const auto on_last =
        faster_on_old_contents(samples, times_for(record().candidate(), Purpose::repeated), tolerance);
    if (on_last) return on_last;
    return faster_on_old_contents(samples, times_for(record().candidate(), Purpose::changed), tolerance);
  }

  std::vector<double> candidate_times() { return counted_times(record(), record().arms.size() - 1); }

  Trouble play_round(const Draw& draw, Purpose purpose) {
    if (auto trouble = calls_.draw(draw)) return trouble;
    // Contents that are hardly new are for the candidate alone: they show whether it computes them anew.
    if (purpose == Purpose::changed) {
      calls_.call_candidate(purpose);
      return std::nullopt;
    }
    const auto reference = calls_.call_trusted(Role::reference, purpose);
    if (!reference) return reference.error();
    const auto candidate = calls_.call_candidate(purpose);
    if (purpose != Purpose::compared) return std::nullopt;
    record().reference().samples.push_back(*reference);
    if (candidate) record().candidate().samples.push_back(*candidate);
    return std::nullopt;
  }

  // Judges all times together.
  void judge_times() {
    calls_.judge_waits();
    if (!measured_) return;
    judge_bound();
    const SpeedTolerance tolerance = speed_tolerance(launches());
    note(faster_on_any_old_contents(tolerance));
    note(faster_when_measured(times_for(record().candidate(), Purpose::warm_up), candidate_times(),
                              tolerance));
    if (session_.watch != nullptr && session_.watch->has_seen_any()) checks_.pass("steady_clocks");
  }

  // A note and no verdict: contents are new in every sample, so the candidate gains nothing.
  void note(const Suspicion& suspicion) {
    if (suspicion) record().notes.push_back(*suspicion);
  }

  int launches() {
    const auto& measurement = record().measurement;
    return measurement ? measurement->processes.back().launches : 1;
  }

  void judge_bound() {
    record().lower_bound_ms =
        hardware_bound_ms(case_, session_.ceilings, session_.arena.device_info(), session_.cache);
    calls_.doubt(Defence::lower_bound, "lower_bound",
                 below_the_bound(candidate_times(), record().lower_bound_ms));
    checks_.pass("lower_bound");
  }

  void finish() {
    if (record().calls == 0) record().precision = Precision::none;
    if (calls_.failed()) return;
    checks_.pass_all();
    if (case_.role == CaseRole::hidden) checks_.pass("hidden_shapes");
    if (!measured_) return;
    record().speedups = speedups_of(record());
    record().others = other_speedups_of(record());
    record().roofline = roofline_of(case_, record(), session_.ceilings);
  }

  Session& session_;
  const Case& case_;
  CheckList& checks_;
  const Measurement* before_;
  bool measured_;
  CaseCalls calls_;
};

// Of all processes: the attested share is the least of theirs.
ClockRecord merged(const std::optional<ClockRecord>& before, ClockRecord more) {
  if (!before) return more;
  more.attested_share = std::min(more.attested_share, before->attested_share);
  more.samples += before->samples;
  more.raised_candidate += before->raised_candidate;
  more.raised_reference += before->raised_reference;
  return more;
}

// The baseline that counts; empty: none.
std::string counting_baseline(const CaseRecord& record) {
  return record.arms.size() > 2 && !record.arms[1].is_beside ? record.arms[1].name : "";
}

void drop_arm(CaseRecord& record, std::size_t arm) {
  record.arms.erase(record.arms.begin() + static_cast<std::ptrdiff_t>(arm));
  for (ProcessBlocks& process : record.measurement->processes) {
    for (Block& block : process.blocks) {
      block.samples.erase(block.samples.begin() + static_cast<std::ptrdiff_t>(arm));
      std::erase(block.order, arm);
      for (std::size_t& place : block.order) place -= place > arm ? 1 : 0;
    }
  }
}

void add_note(CaseRecord& record, std::string note) {
  if (std::find(record.notes.begin(), record.notes.end(), note) == record.notes.end())
    record.notes.push_back(std::move(note));
}

// Drops the baselines that `other` lacks, and returns their names.
std::vector<std::string> keep_arms_of(const CaseRecord& other, CaseRecord& record) {
  std::vector<std::string> dropped;
  for (std::size_t arm = 1; arm + 1 < record.arms.size();) {
    const std::string name = record.arms[arm].name;
    if (std::any_of(other.arms.begin(), other.arms.end(), [&](const Arm& a) { return a.name == name; })) {
      ++arm;
      continue;
    }
    drop_arm(record, arm);
    dropped.push_back(name);
  }
  return dropped;
}

// Adds the blocks of a further process for the arms that both have. No other baseline takes the place of the
// one that counts.
void add_blocks(CaseRecord& more, CaseRecord& record) {
  const std::string counts = counting_baseline(record);
  if (!counts.empty() && counting_baseline(more) != counts) {
    add_note(record, fmt::format("the blocks of a further process do not count: it was not compared with {}",
                                 counts));
    return;
  }
  std::vector<std::string> dropped = keep_arms_of(more, record);
  for (std::string& name : keep_arms_of(record, more)) dropped.push_back(std::move(name));
  for (const std::string& name : dropped)
    add_note(record, fmt::format("{} is left out: it was not compared in every process", name));
  for (ProcessBlocks& process : more.measurement->processes)
    record.measurement->processes.push_back(std::move(process));
  summarise_arms(record);
}

// Adds a further process to a record. The first failure is kept.
void merge(const Case& bound, const std::optional<Ceilings>& ceilings, CaseRecord&& more, CheckList& checks,
           CaseRecord& record) {
  const Precision before = record.precision;
  std::vector<Sample>& samples = record.candidate().samples;
  samples.insert(samples.end(), more.candidate().samples.begin(), more.candidate().samples.end());
  for (std::string& note : more.notes) add_note(record, std::move(note));
  if (more.clock) record.clock = merged(record.clock, *more.clock);
  record.calls += more.calls;
  record.latency_hidden = record.latency_hidden && more.latency_hidden;
  record.precision = std::max(record.precision, more.precision);
  if (more.relative_error > record.relative_error) record.rule = more.rule;
  record.relative_error = std::max(record.relative_error, more.relative_error);
  record.max_scaled_error = std::max(record.max_scaled_error, more.max_scaled_error);
  const bool has_speedups = !record.speedups.empty() || !more.speedups.empty();
  record.speedups.clear();
  record.others.clear();
  if (record.measurement && more.measurement) {
    const bool differs = before != more.precision && counting_baseline(record) != counting_baseline(more);
    if (more.verdict == Verdict::accepted && differs) {
      record.verdict = Verdict::unstable;
      record.message = "its precision differs from one process to the next";
      checks.fail("precision", fmt::format("{}: {}", record.name, record.message));
      return;
    }
    add_blocks(more, record);
  }
  if (more.verdict == Verdict::accepted) {
    if (has_speedups) {
      record.speedups = speedups_of(record);
      record.others = other_speedups_of(record);
    }
    record.roofline = roofline_of(bound, record, ceilings);
    return;
  }
  record.verdict = more.verdict;
  record.message = more.message;
}

}  // namespace

Result<CaseRecord> run_case(Session& session, const Case& bound, CheckList& checks) {
  CaseRun run(session, bound, checks);
  if (auto trouble = run.run()) return *trouble;
  return std::move(run.record());
}

std::optional<Error> run_case_again(Session& session, const Case& bound, CheckList& checks,
                                    CaseRecord& record) {
  CaseRun run(session, bound, checks, record.measurement ? &*record.measurement : nullptr);
  if (auto trouble = run.run()) return trouble;
  merge(bound, session.ceilings, std::move(run.record()), checks, record);
  return std::nullopt;
}

CaseRecord skipped_case(const Problem& problem, const Case& bound, const std::string& reason) {
  CaseRecord record = blank_record(problem, bound);
  record.message = reason;
  return record;
}

}  // namespace kgrade
