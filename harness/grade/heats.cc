#include "grade/heats.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace kgrade {
namespace {

// The attempt whose seed draws the contents of a heat's reference. No candidate has an attempt of this
// number.
constexpr int attempt_of_heats = 1 << 16;

}  // namespace

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
  std::deque<Referee> referees;
  std::deque<Session> sessions;
  const auto session_of = [&](std::uint64_t own, const BuildOutcome& built) -> Session& {
    Referee& referee = referees.emplace_back(setup_.device(), problem_, setup_.trusted_runner(0),
                                             setup_.trusted_runner(1), own);
    referee.share_contestants();
    return sessions.emplace_back(sessions_.of_candidate(referee, built, own, options_.progress, reader));
  };
  Session& trusted = session_of(seed, {});
  std::vector<HeatEntry> entries;
  for (RunSetup::Built* const one : entrants) {
    const BuildOutcome& built = *one->build->finish();
    Session& session = session_of(sessions_.seed_of(one->number, 0), built);
    auto runner = runners_.next(one->source, *one->build, entries.size());
    if (!runner) return runner.errors();
    referees.back().count_time(options_.candidate_time);
    referees.back().set_candidate(std::move(*runner), built.library, {false, built.returns_outputs});
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
