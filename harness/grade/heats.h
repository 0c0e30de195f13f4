// Forms heats of a run's candidates. grade/heat.h runs one heat.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grade/candidate_runners.h"
#include "grade/heat.h"
#include "grade/run_sessions.h"

namespace kgrade {

class Heats {
 public:
  // Keeps references.
  Heats(const Problem& problem, const RunOptions& options, RunSetup& setup, CandidateRunners& runners,
        RunSessions& sessions);

  // The candidates of the heats, by number. There is no result where a heat broke off.
  using Played = std::map<std::size_t, std::optional<HeatResult>>;

  // Grades the candidates of the group that can be graded side by side, those in Python beside each other. An
  // Error means that no candidate can be graded any more.
  Result<Played> play(std::vector<RunSetup::Built>& group);

  // Says why a candidate is graded again after a heat. Empty for a candidate that was in no heat.
  static std::vector<std::string> notes_on(Played::const_iterator found, const Played& all);

 private:
  Result<Played> play_heat(std::span<RunSetup::Built*> entrants);

  const Problem& problem_;
  const RunOptions& options_;
  RunSetup& setup_;
  CandidateRunners& runners_;
  RunSessions& sessions_;
  int played_ = 0;
};

}  // namespace kgrade
