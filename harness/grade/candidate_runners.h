// Starts the workers of a run's candidates. They prepare the device while candidates are being compiled.
//
// Workers for candidates in Python import the frameworks first, which takes seconds, mostly on one core. So
// the workers of the next candidates import while other candidates are graded, and touch the device only when
// their batch is next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "contest/contest.h"
#include "contest/contestant_runner.h"
#include "grade/contestants.h"
#include "grade/run_setup.h"
#include "grade/session.h"
#include "measure/telemetry.h"

namespace kgrade {

// Reads the device's telemetry from now on.
struct TelemetryReader {
  TelemetryReader(Telemetry& telemetry, const Clock& clock) : sampler(telemetry, clock), watch(sampler) {}
  TelemetryReader(const TelemetryReader&) = delete;  // watch refers to sampler
  TelemetryReader& operator=(const TelemetryReader&) = delete;

  TelemetrySampler sampler;
  TelemetryWatch watch;
};

class RunSessions {
 public:
  // `run` has the seed and the ceilings of the run, once they are known. Keeps references.
  RunSessions(const Problem& problem, const RunOptions& options, RunSetup& setup, const Record& run);

  // The seed of a candidate's contents in one of its attempts.
  std::uint64_t seed_of(std::size_t number, int attempt) const;
  // A session without a candidate.
  Session of_trusted(Contest& contest);
  // A session with a candidate.
  Session of_candidate(Contest& contest, const BuildOutcome& built, std::uint64_t seed,
                       std::function<void(const std::string&)> progress, TelemetryReader& reader);
  CandidateRecord blank_record(const CandidateSource& source, const BuildOutcome& built,
                               std::uint64_t seed) const;

  TelemetryReader read_telemetry() { return {setup_.bench().telemetry(), setup_.bench().clock()}; }
  KnownCases& known() { return *known_; }

 private:
  const Problem& problem_;
  const RunOptions& options_;
  RunSetup& setup_;
  const Record& run_;
  std::shared_ptr<KnownCases> known_ = std::make_shared<KnownCases>();
};

class PythonRunners {
 public:
  // `at_once`: how many import at the same time.
  PythonRunners(Device& device, const Problem& problem, PythonHost host, std::size_t at_once);

  // Starts workers for the next candidates, of which there are `left`.
  Errors start(std::size_t left);
  // A runner that has the device, for the next candidate. An Error if none can be started. A runner with
  // another fault reports it when it is used.
  Result<std::unique_ptr<ContestantRunner>> next(std::size_t left);

 private:
  using Runners = std::deque<std::unique_ptr<ContestantRunner>>;

  Device& device_;
  const Problem& problem_;
  PythonHost host_;
  std::size_t at_once_;
  Runners importing_;
  Runners ready_;  // have the device
};

class CandidateRunners {
 public:
  // `together`: how many candidates are graded side by side. Keeps references.
  CandidateRunners(RunSetup& setup, const Problem& problem, std::size_t together);

  // Starts workers for the next candidates, as many at once as the device has room for.
  Failure start();
  // Returns the worker of the next candidate. A worker in Python may ask `build` to build extensions. `taken`
  // is the number of candidates that have a worker but no verdict yet.
  Result<std::unique_ptr<ContestantRunner>> next(const CandidateSource& source, const Build& build,
                                                 std::size_t taken = 0);
  // Whether no worker for a candidate in CUDA C++ is waiting. Workers in Python do not count.
  bool is_empty() const { return runners_.empty(); }
  // Whether the candidate is in Python and this run has found a Python. A run whose candidates in Python all
  // have faults does not look for a Python on their behalf.
  bool needs_python(const CandidateSource& source) const;
  // Call this when the candidate of that number has its verdict, and so needs no worker any more.
  void settle(std::size_t number) { settled_.insert(number); }

 private:
  // How many candidates of that kind have no verdict yet.
  std::size_t left_of(bool python) const;
  Failure start_python();

  RunSetup& setup_;
  const Problem& problem_;
  std::size_t together_;
  std::set<std::size_t> settled_;  // numbers of candidates
  std::deque<std::unique_ptr<ContestantRunner>> runners_;
  std::unique_ptr<PythonRunners> python_runners_;  // null: there are none
};

}  // namespace kgrade
