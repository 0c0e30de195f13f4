#include "grade/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "grade/case_choice.h"
#include "grade/measured_case.h"
#include "measure/clock_rule.h"
#include "measure/roofline.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

class CaseRun {
 public:
  // Runs a candidate alone, with the reference on the candidate's contents. `before` is the measurement in
  // earlier processes.
  CaseRun(Session& session, const Case& bound, const Measurement* before = nullptr)
      : session_(session), case_(bound), before_(before) {
    entrants_.emplace_back(session, bound);
    trusted_ = &entrants_.front().calls;
  }

  CaseRun(Session& trusted, const std::vector<Session*>& sessions, const Case& bound)
      : session_(trusted), case_(bound), apart_(std::in_place, trusted, bound) {
    trusted_ = &*apart_;
    for (Session* const session : sessions) {
      entrants_.emplace_back(*session, bound);
      trusted_->follow_with(entrants_.back().calls);
    }
  }

  std::optional<Error> run() {
    auto trouble = case_.role == CaseRole::bench ? run_blocks() : run_rounds();
    if (trouble) return trouble;
    for (Entrant& entrant : entrants_) {
      if (entrant.session.contest.takes_turns())
        entrant.record().notes.push_back(
            "the GPU has no room for all contestants: each had it for its calls alone, after one call that "
            "does not count");
    }
    if (apart_) session_.contest.take_back();
    for (Entrant& entrant : entrants_) {
      entrant.session.contest.take_back();
      conclude(entrant);
    }
    return std::nullopt;
  }

  std::vector<CaseRecord> records() {
    std::vector<CaseRecord> records;
    for (Entrant& entrant : entrants_) records.push_back(std::move(entrant.calls.record()));
    return records;
  }

 private:
  using Trouble = CaseCalls::Trouble;

  bool is_measured() const { return case_.role == CaseRole::bench && session_.contest.measures_speed(); }

  void conclude(Entrant& entrant) {
    CaseRecord& record = entrant.record();
    summarise_arms(record);
    if (!entrant.calls.failed()) judge_times(entrant);
    if (record.calls == 0) record.precision = Precision::none;
    if (entrant.calls.failed()) return;
    entrant.session.checks.pass_all();
    if (case_.role == CaseRole::hidden) entrant.session.checks.pass("hidden_shapes");
    if (!is_measured()) return;
    record.speedups = speedups_of(record);
    record.others = other_speedups_of(record);
    record.roofline = roofline_of(case_, record, entrant.session.ceilings);
  }

  // Judges all times together. A suspicious time gives only a note and no verdict: contents are new in every
  // sample, so the candidate gains nothing.
  void judge_times(Entrant& entrant) {
    entrant.calls.judge_waits();
    if (!is_measured()) return;
    Session& session = entrant.session;
    CaseRecord& record = entrant.record();
    const std::vector<double> times = counted_times(record, record.arms.size() - 1);
    record.lower_bound_ms =
        hardware_bound_ms(case_, session.ceilings, session.contest.device_info(), session.cache);
    entrant.calls.doubt(Defence::lower_bound, "lower_bound", below_the_bound(times, record.lower_bound_ms));
    session.checks.pass("lower_bound");
    const SpeedTolerance tolerance =
        speed_tolerance(record.measurement ? record.measurement->processes.back().launches : 1);
    const auto note = [&record](const Suspicion& suspicion) {
      if (suspicion) record.notes.push_back(*suspicion);
      return suspicion.has_value();
    };
    // Look at the calls on the last contents. If these are not suspicious, look at the calls on contents of
    // which only a few elements are new.
    if (!note(faster_on_old_contents(times, times_for(record.candidate(), Purpose::repeated), tolerance)))
      note(faster_on_old_contents(times, times_for(record.candidate(), Purpose::changed), tolerance));
    note(faster_when_measured(times_for(record.candidate(), Purpose::warm_up), times, tolerance));
    if (session.watch != nullptr && session.watch->has_seen_any()) session.checks.pass("steady_clocks");
  }

  Trouble run_blocks() {
    const int process = before_ != nullptr ? static_cast<int>(before_->processes.size()) : 0;
    std::optional<int> launches;
    if (process > 0) launches = before_->processes.front().launches;
    MeasuredCase measured(session_, case_, *trusted_, process, launches);
    for (Entrant& entrant : entrants_) measured.add(entrant);
    if (auto trouble = measured.run()) return trouble;
    return process == 0 ? play_varied_rounds() : std::nullopt;
  }

  Trouble lend() {
    if (!apart_) return trusted_->lend_buffers({Role::oracle, Role::reference, Role::candidate}, 1);
    if (auto trouble = trusted_->lend_buffers({Role::oracle, Role::reference}, 1)) return trouble;
    for (Entrant& entrant : entrants_) {
      if (auto trouble = entrant.calls.lend_buffers({Role::candidate}, 1)) return trouble;
    }
    return std::nullopt;
  }

  Trouble run_rounds() {
    if (auto trouble = lend()) return trouble;
    for (const Purpose purpose : {Purpose::warm_up, Purpose::compared, Purpose::changed, Purpose::changed}) {
      if (std::all_of(entrants_.begin(), entrants_.end(),
                      [](const Entrant& entrant) { return entrant.calls.failed(); }))
        return std::nullopt;
      session_.progress(fmt::format("{}: call {}", case_.name, entrants_.front().record().calls + 1));
      if (auto trouble = play_round(purpose)) return trouble;
    }
    for (Entrant& entrant : entrants_) {
      if (entrant.calls.failed() || entrant.session.repeated_case != case_.name) continue;
      // One more call on the contents of the latest call shows whether the candidate gives the same bits. The
      // oracle has answered other contents since.
      if (apart_) {
        if (auto trouble = entrant.calls.draw_again()) return trouble;
      }
      entrant.calls.repeat_candidate(1);
    }
    return play_varied_rounds();
  }

  // Plays rounds on families of inputs. The reference answers each candidate's own contents.
  Trouble play_varied_rounds() {
    const int rounds = varied_rounds(session_.problem, case_, session_.contest.measures_speed());
    for (int i = 0; i < rounds; ++i) {
      for (Entrant& entrant : entrants_) {
        if (entrant.calls.failed()) continue;
        const auto tells = entrant.calls.draw_varied();
        if (!tells) return tells.error();
        if (*tells) entrant.calls.call_candidate(Purpose::compared);
      }
    }
    return std::nullopt;
  }

  // On contents that are hardly new, only candidates are called: this shows whether they compute everything
  // again.
  Trouble play_round(Purpose purpose) {
    const bool is_new = purpose != Purpose::changed;
    std::optional<Sample> reference;
    if (is_new) {
      if (auto trouble = trusted_->draw_fresh()) return trouble;
      const auto called = trusted_->call_trusted(Role::reference, purpose);
      if (!called) return called.error();
      reference = *called;
    }
    for (Entrant& entrant : entrants_) {
      if (entrant.calls.failed()) continue;
      if (apart_ || !is_new) {
        if (auto trouble = is_new ? entrant.calls.draw_fresh() : entrant.calls.draw_changed()) return trouble;
      }
      const auto candidate = entrant.calls.call_candidate(purpose);
      if (purpose != Purpose::compared) continue;
      entrant.record().reference().samples.push_back(*reference);
      if (candidate) entrant.record().candidate().samples.push_back(*candidate);
    }
    return std::nullopt;
  }

  Session& session_;  // of the reference's calls
  const Case& case_;
  const Measurement* before_ = nullptr;
  std::optional<CaseCalls> apart_;  // the reference's calls, unless they are on a candidate's contents
  std::deque<Entrant> entrants_;
  CaseCalls* trusted_ = nullptr;
};

// The record of all processes. Its attested share is the least of all processes.
ClockRecord merged(const std::optional<ClockRecord>& before, ClockRecord more) {
  if (!before) return more;
  more.attested_share = std::min(more.attested_share, before->attested_share);
  more.samples += before->samples;
  more.raised_candidate += before->raised_candidate;
  more.raised_reference += before->raised_reference;
  return more;
}

// The baseline that counts; empty if there is none.
std::string counting_baseline(const CaseRecord& record) {
  return record.arms.size() > 2 && !record.arms[1].is_beside ? record.arms[1].name : "";
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
    record.arms.erase(record.arms.begin() + static_cast<std::ptrdiff_t>(arm));
    for (ProcessBlocks& process : record.measurement->processes) {
      for (Block& block : process.blocks) {
        block.samples.erase(block.samples.begin() + static_cast<std::ptrdiff_t>(arm));
        std::erase(block.order, arm);
        for (std::size_t& place : block.order) place -= place > arm ? 1 : 0;
      }
    }
    dropped.push_back(name);
  }
  return dropped;
}

// Adds the blocks of a further process for the arms that both records have. The baseline that counts is not
// replaced.
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
  if (more.same_bits) record.same_bits = record.same_bits.value_or(true) && *more.same_bits;
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
  record.message_if_wrong = more.message_if_wrong;
}

}  // namespace

Result<CaseRecord> run_case(Session& session, const Case& bound) {
  CaseRun run(session, bound);
  if (auto trouble = run.run()) return *trouble;
  return std::move(run.records().front());
}

Result<std::vector<CaseRecord>> run_case_together(Session& trusted, const std::vector<Session*>& sessions,
                                                  const Case& bound) {
  CaseRun run(trusted, sessions, bound);
  if (auto trouble = run.run()) return *trouble;
  return run.records();
}

std::optional<Error> run_case_again(Session& session, const Case& bound, CaseRecord& record) {
  CaseRun run(session, bound, record.measurement ? &*record.measurement : nullptr);
  if (auto trouble = run.run()) return trouble;
  merge(bound, session.ceilings, std::move(run.records().front()), session.checks, record);
  return std::nullopt;
}

}  // namespace kgrade
