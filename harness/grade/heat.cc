#include "grade/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "contest/lease.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

// Device memory of one process: its context, and what a plain kernel allocates.
constexpr std::uint64_t bytes_of_process = std::uint64_t{768} << 20;

// The attempt whose seed draws the contents of a heat's reference. No candidate has an attempt of this
// number.
constexpr int attempt_of_heats = 1 << 16;

// A neighbour can take memory and time, keep the device busy or break its driver. It cannot write to
// another's memory. So a wrong answer is the candidate's own, as long as there was memory for all.
bool is_final(Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:  // for an extension that is built in the rehearsal
    case Verdict::time_limit:
    case Verdict::memory_limit:
    case Verdict::runtime_error:
    case Verdict::unstable:
    case Verdict::cheating:
      return false;
    case Verdict::accepted:
    case Verdict::wrong_answer:
    case Verdict::low_precision:
    case Verdict::signature_mismatch:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::unsupported:
      break;
  }
  return true;
}

bool is_final(const CandidateRecord& record) {
  return is_final(record.verdict) && std::all_of(record.cases.begin(), record.cases.end(),
                                                 [](const CaseRecord& c) { return is_final(c.verdict); });
}

// Plays one case with the candidates that are left. False if it failed: then there are no results.
bool play(Session& trusted, const std::vector<PlannedCase>& cases, std::size_t number,
          const std::vector<CandidateRun*>& left) {
  std::vector<CandidateRun*> entrants;
  std::vector<Session*> sessions;
  for (CandidateRun* const run : left) {
    if (auto result = run->unplayed(number)) {
      run->take(number, std::move(*result));
      continue;
    }
    entrants.push_back(run);
    sessions.push_back(&run->session());
  }
  if (sessions.empty()) return true;
  auto results = run_case_together(trusted, sessions, cases[number].bound);
  if (!results) return false;
  for (std::size_t i = 0; i < entrants.size(); ++i) entrants[i]->take(number, std::move((*results)[i]));
  return true;
}

}  // namespace

Result<std::vector<HeatResult>> run_heat(Session& trusted, const std::vector<PlannedCase>& cases,
                                         std::vector<HeatEntry> entries) {
  std::deque<CandidateRun> runs;
  for (HeatEntry& entry : entries) runs.emplace_back(entry.session, cases, std::move(entry.record));
  ReferenceAlone& alone = trusted.known->reference_alone;
  bool is_played = true;  // no step has failed
  if (alone.empty()) {
    auto before = time_reference_alone(trusted, cases);
    is_played = before.ok();
    if (before) alone = std::move(*before);
  }
  for (std::size_t i = 0; is_played && i < runs.size(); ++i)
    is_played = runs[i].enter(entries[i].library).empty();
  bool is_hogged = false;  // a candidate keeps memory that the others may need
  if (is_played) {
    std::vector<CandidateRun*> left;  // after loading and rehearsal
    for (CandidateRun& run : runs) {
      if (run.is_in()) left.push_back(&run);
    }
    const std::uint64_t free = trusted.contest.free_bytes();
    for (const std::size_t number : running_order(cases)) {
      is_played = play(trusted, cases, number, left);
      if (!is_played) break;
      is_hogged = is_hogged || trusted.contest.free_bytes() + runs.size() * bytes_of_process < free;
    }
  }
  {
    const auto timer = trusted.stages.time("clean-up");
    trusted.contest.take_back();
    for (const HeatEntry& entry : entries) entry.session.contest.kill_candidate();
    for (const HeatEntry& entry : entries) {
      if (entry.session.contest.candidate_alive()) entry.session.contest.retire_candidate();
    }
    if (auto error = trusted.contest.recover()) return *error;
  }
  std::vector<HeatResult> results;
  if (!is_played) return results;
  auto after = time_reference_alone(trusted, cases);
  if (!after) return results;
  for (CandidateRun& run : runs) run.watch_reference(alone, *after);
  alone = std::move(*after);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    HeatResult result{runs[i].conclude()};
    result.is_final = !is_hogged && is_final(result.record) && !entries[i].session.candidate_was_killed;
    results.push_back(std::move(result));
  }
  for (HeatResult& result : results) {
    for (const HeatResult& other : results) {
      if (&other == &result) continue;
      if (auto neighbour = neighbour_of(result.record, other.record))
        result.record.neighbours.push_back(std::move(*neighbour));
    }
  }
  return results;
}

std::size_t room_for_heat(const std::vector<PlannedCase>& cases, std::uint64_t free_bytes, std::size_t most) {
  std::uint64_t largest = 0;
  for (const PlannedCase& planned : cases) {
    if (planned.skipped.empty()) largest = std::max(largest, Lease::bytes_needed(planned.bound, true));
  }
  // Each candidate counts twice, as oracle and reference do: it may allocate more than it is lent.
  const std::uint64_t ours = 4 * largest;
  const std::uint64_t each = 2 * largest + bytes_of_process;
  if (free_bytes <= ours) return 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>((free_bytes - ours) / each), 1, most);
}

Heats::Heats(const Problem& problem, const RunOptions& options, RunSetup& setup, CandidateRunners& runners,
             RunSessions& sessions)
    : problem_(problem), options_(options), setup_(setup), runners_(runners), sessions_(sessions) {}

std::vector<std::string> Heats::notes_on(Played::const_iterator found, const Played& all) {
  if (found == all.end()) return {};
  if (!found->second) return {"graded again alone: the heat that it was in broke off"};
  return {fmt::format("graded again alone: beside others it was {}: {}",
                      to_string(found->second->record.verdict), found->second->record.message)};
}

Result<Heats::Played> Heats::play(std::vector<RunSetup::Built>& group) {
  Played all;
  for (const bool python : {false, true}) {
    std::vector<RunSetup::Built*> entrants;
    for (RunSetup::Built& one : group) {
      const BuildOutcome& built = *one.build->finish();
      const bool is_ready = built.status == BuildStatus::built && !built.is_module;
      if (is_ready && runners_.needs_python(one.source) == python) entrants.push_back(&one);
    }
    const std::size_t most = python ? most_in_heat_of_python : most_in_heat;
    for (std::size_t first = 0; first + 1 < entrants.size(); first += most) {
      const std::size_t count = std::min(most, entrants.size() - first);
      auto played = play_heat(std::span(entrants).subspan(first, count));
      if (!played) return played.errors();
      all.merge(*played);
    }
  }
  for (const auto& [number, result] : all) {
    if (result && result->is_final) runners_.settle(number);
  }
  return all;
}

Result<Heats::Played> Heats::play_heat(std::span<RunSetup::Built*> entrants) {
  if (auto failure = runners_.start()) return *failure;
  ++played_;
  TelemetryReader reader = sessions_.read_telemetry();
  const std::uint64_t seed = sessions_.seed_of(entrants.front()->number, attempt_of_heats);
  std::deque<Contest> contests;
  std::deque<Session> sessions;
  const auto session_of = [&](std::uint64_t own, const BuildOutcome& built) -> Session& {
    Contest& contest = contests.emplace_back(setup_.device(), problem_, setup_.trusted_runner(0),
                                             &setup_.trusted_runner(1), own);
    contest.share_contestants();
    return sessions.emplace_back(sessions_.of_candidate(contest, built, own, options_.progress, reader));
  };
  Session& trusted = session_of(seed, {});
  std::vector<HeatEntry> entries;
  for (RunSetup::Built* const one : entrants) {
    const BuildOutcome& built = *one->build->finish();
    Session& session = session_of(sessions_.seed_of(one->number, 0), built);
    session.matrix_units = one->build->matrix_units();
    auto runner = runners_.next(one->source, *one->build, entries.size());
    if (!runner) return runner.errors();
    contests.back().count_time(options_.candidate_time);
    contests.back().set_candidate(std::move(*runner), built.library, {false, built.returns_outputs});
    entries.push_back({session, built.library, sessions_.blank_record(one->source, built, session.seed)});
  }
  auto results = run_heat(trusted, setup_.cases(), std::move(entries));
  if (!results) return results.errors();
  Played played;
  for (const RunSetup::Built* const one : entrants) played[one->number];
  const TelemetrySummary telemetry = reader.sampler.summary();
  for (std::size_t i = 0; i < results->size(); ++i) {
    (*results)[i].record.telemetry = telemetry;
    (*results)[i].record.heat = {played_, static_cast<int>(results->size())};
    played[entrants[i]->number] = std::move((*results)[i]);
  }
  return played;
}

}  // namespace kgrade
