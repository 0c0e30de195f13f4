#include "grade/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "grade/case_calls.h"
#include "grade/measured_case.h"
#include "measure/roofline.h"
#include "measure/speed_checks.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

class CaseRun {
 public:
  // A candidate alone, with the reference on the candidate's contents. `before` is the measurement in earlier
  // processes.
  CaseRun(Session& session, const Case& bound, CheckList& checks, const Measurement* before = nullptr)
      : session_(session), case_(bound), before_(before) {
    players_.emplace_back(session, bound, checks);
    trusted_ = &players_.front().calls;
  }

  CaseRun(Session& trusted, const std::vector<Seat>& seats, const Case& bound)
      : session_(trusted), case_(bound), apart_(std::in_place, trusted, bound, checks_apart_) {
    trusted_ = &*apart_;
    for (const Seat& seat : seats) {
      players_.emplace_back(seat.session, bound, seat.checks);
      trusted_->follow_with(players_.back().calls);
    }
  }

  std::optional<Error> run() {
    auto trouble = case_.role == CaseRole::bench ? run_blocks() : run_rounds();
    if (trouble) return trouble;
    for (Player& player : players_) {
      if (player.session.arena.takes_turns())
        player.note(
            "the GPU has no room for all contestants: each had it for its calls alone, after one call that "
            "does not count");
    }
    if (apart_) session_.arena.take_back();
    for (Player& player : players_) {
      player.session.arena.take_back();
      player.conclude();
    }
    return std::nullopt;
  }

  std::vector<CaseRecord> records() {
    std::vector<CaseRecord> records;
    for (Player& player : players_) records.push_back(std::move(player.calls.record()));
    return records;
  }

 private:
  using Trouble = CaseCalls::Trouble;

  // A candidate, and its calls and checks in this case.
  struct Player {
    Player(Session& the_session, const Case& the_case, CheckList& the_checks)
        : session(the_session),
          bound(the_case),
          checks(the_checks),
          calls(the_session, the_case, the_checks) {}

    Session& session;
    const Case& bound;
    CheckList& checks;
    CaseCalls calls;

    CaseRecord& record() { return calls.record(); }
    bool is_measured() const { return bound.role == CaseRole::bench && session.arena.measures_speed(); }

    void conclude() {
      summarise_arms(record());
      if (!calls.failed()) judge_times();
      finish();
    }

    std::vector<double> candidate_times() { return counted_times(record(), record().arms.size() - 1); }

    // Compares with calls on the last contents, and on contents of which only a few elements are new.
    Suspicion faster_on_any_old_contents(const SpeedTolerance& tolerance) {
      const std::vector<double> samples = candidate_times();
      const auto on_last =
          faster_on_old_contents(samples, times_for(record().candidate(), Purpose::repeated), tolerance);
      if (on_last) return on_last;
      return faster_on_old_contents(samples, times_for(record().candidate(), Purpose::changed), tolerance);
    }

    // Judges all times together.
    void judge_times() {
      calls.judge_waits();
      if (!is_measured()) return;
      judge_bound();
      const SpeedTolerance tolerance = speed_tolerance(launches());
      note(faster_on_any_old_contents(tolerance));
      note(faster_when_measured(times_for(record().candidate(), Purpose::warm_up), candidate_times(),
                                tolerance));
      if (session.watch != nullptr && session.watch->has_seen_any()) checks.pass("steady_clocks");
    }

    // Gives a note and no verdict: contents are new in every sample, so the candidate gains nothing.
    void note(const Suspicion& suspicion) {
      if (suspicion) record().notes.push_back(*suspicion);
    }

    int launches() {
      const auto& measurement = record().measurement;
      return measurement ? measurement->processes.back().launches : 1;
    }

    void judge_bound() {
      record().lower_bound_ms =
          hardware_bound_ms(bound, session.ceilings, session.arena.device_info(), session.cache);
      calls.doubt(Defence::lower_bound, "lower_bound",
                  below_the_bound(candidate_times(), record().lower_bound_ms));
      checks.pass("lower_bound");
    }

    void finish() {
      if (record().calls == 0) record().precision = Precision::none;
      if (calls.failed()) return;
      checks.pass_all();
      if (bound.role == CaseRole::hidden) checks.pass("hidden_shapes");
      if (!is_measured()) return;
      record().speedups = speedups_of(record());
      record().others = other_speedups_of(record());
      record().roofline = roofline_of(bound, record(), session.ceilings);
    }
  };

  Trouble run_blocks() {
    const int process = before_ != nullptr ? static_cast<int>(before_->processes.size()) : 0;
    std::optional<int> launches;
    if (process > 0) launches = before_->processes.front().launches;
    MeasuredCase measured(session_, case_, *trusted_, process, launches);
    for (Player& player : players_) measured.add(player.session, player.calls);
    if (auto trouble = measured.run()) return trouble;
    return process == 0 ? play_varied_rounds() : std::nullopt;
  }

  bool all_failed() const {
    return std::all_of(players_.begin(), players_.end(),
                       [](const Player& player) { return player.calls.failed(); });
  }

  Trouble lend() {
    if (!apart_) return trusted_->lend_buffers({Role::oracle, Role::reference, Role::candidate}, 1);
    if (auto trouble = trusted_->lend_buffers({Role::oracle, Role::reference}, 1)) return trouble;
    for (Player& player : players_) {
      if (auto trouble = player.calls.lend_buffers({Role::candidate}, 1)) return trouble;
    }
    return std::nullopt;
  }

  Trouble run_rounds() {
    if (auto trouble = lend()) return trouble;
    for (const Purpose purpose : {Purpose::warm_up, Purpose::compared, Purpose::changed, Purpose::changed}) {
      if (all_failed()) return std::nullopt;
      session_.progress(fmt::format("{}: call {}", case_.name, players_.front().record().calls + 1));
      if (auto trouble = play_round(purpose)) return trouble;
    }
    if (auto trouble = repeat()) return trouble;
    return play_varied_rounds();
  }

  // On inputs of families. The reference answers each candidate's own contents.
  Trouble play_varied_rounds() {
    const int rounds = varied_rounds(session_.problem, case_, session_.arena.measures_speed());
    for (int i = 0; i < rounds; ++i) {
      for (Player& player : players_) {
        if (player.calls.failed()) continue;
        const auto tells = player.calls.draw_varied();
        if (!tells) return tells.error();
        if (*tells) player.calls.call_candidate(Purpose::compared);
      }
    }
    return std::nullopt;
  }

  // One more call on the contents of the latest, to see whether the candidate gives the same bits.
  Trouble repeat() {
    for (Player& player : players_) {
      if (player.calls.failed() || player.session.repeated_case != case_.name) continue;
      // The oracle has answered other contents since.
      if (apart_) {
        if (auto trouble = player.calls.draw_again()) return trouble;
      }
      player.calls.repeat_candidate(1);
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
    for (Player& player : players_) {
      if (player.calls.failed()) continue;
      if (apart_ || !is_new) {
        if (auto trouble = is_new ? player.calls.draw_fresh() : player.calls.draw_changed()) return trouble;
      }
      const auto candidate = player.calls.call_candidate(purpose);
      if (purpose != Purpose::compared) continue;
      player.record().reference().samples.push_back(*reference);
      if (candidate) player.record().candidate().samples.push_back(*candidate);
    }
    return std::nullopt;
  }

  Session& session_;  // of the reference's calls
  const Case& case_;
  const Measurement* before_ = nullptr;
  CheckList checks_apart_;
  std::optional<CaseCalls> apart_;  // the reference's calls, unless they are on a candidate's contents
  std::deque<Player> players_;
  CaseCalls* trusted_ = nullptr;
};

// The record of all processes. Its attested share is the least of theirs.
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

// Adds the blocks of a further process for the arms that both have. The baseline that counts is not replaced.
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

Result<CaseRecord> run_case(Session& session, const Case& bound, CheckList& checks) {
  CaseRun run(session, bound, checks);
  if (auto trouble = run.run()) return *trouble;
  return std::move(run.records().front());
}

Result<std::vector<CaseRecord>> run_case_together(Session& trusted, const std::vector<Seat>& seats,
                                                  const Case& bound) {
  CaseRun run(trusted, seats, bound);
  if (auto trouble = run.run()) return *trouble;
  return run.records();
}

std::optional<Error> run_case_again(Session& session, const Case& bound, CheckList& checks,
                                    CaseRecord& record) {
  CaseRun run(session, bound, checks, record.measurement ? &*record.measurement : nullptr);
  if (auto trouble = run.run()) return trouble;
  merge(bound, session.ceilings, std::move(run.records().front()), checks, record);
  return std::nullopt;
}

CaseRecord skipped_case(const Problem& problem, const Case& bound, const std::string& reason) {
  CaseRecord record = blank_record(problem, bound);
  record.message = reason;
  return record;
}

}  // namespace kgrade
