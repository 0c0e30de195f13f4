// A heat is a run of several candidates of one problem side by side. They share the calls of the reference,
// the times of the reference without candidates (time_reference_alone()) and the clean-up. Each has its own
// process, buffers, contents and calls of the oracle.
//
// Heats forms the heats of a run's candidates.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/toolchain.h"
#include "grade/candidate_run.h"
#include "grade/candidate_runners.h"
#include "record/settings.h"

namespace kgrade {

// A candidate that has been built and can run the problem's own cases.
struct HeatEntry {
  Session& session;
  std::filesystem::path library;
  CandidateRecord record;
};

struct HeatResult {
  CandidateRecord record;
  // False if a neighbour could have caused the verdict. Such a verdict counts only if the candidate gets it
  // again when it runs alone.
  bool is_final = true;
};

// Returns one result per candidate. If the heat broke off, returns no results: then grade the candidates one
// after the other. A heat breaks off if the device fails and recovers, or if one of our own contestants
// fails. `trusted`: a session without a candidate. An Error means that the device is not healthy any more.
Result<std::vector<HeatResult>> run_heat(Session& trusted, const std::vector<PlannedCase>& cases,
                                         std::vector<HeatEntry> entries);

// How many candidates fit into `free_bytes` of device memory in each of these cases, beside oracle and
// reference. At least 1, and at most `most`.
std::size_t room_for_heat(const std::vector<PlannedCase>& cases, std::uint64_t free_bytes, std::size_t most);

class Heats {
 public:
  // Keeps references to its arguments.
  Heats(const Problem& problem, const RunOptions& options, RunSetup& setup, CandidateRunners& runners,
        RunSessions& sessions);

  // The candidates that took part in heats, by number. A candidate whose heat broke off has no result.
  using Played = std::map<std::size_t, std::optional<HeatResult>>;

  // Grades the candidates of the group that can be graded side by side. Candidates in Python have heats of
  // their own. An Error means that no candidate can be graded any more.
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
