// What each candidate of a run is graded with: a seed, a session, and a blank record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "contest/contest.h"
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
  PythonRecord python_record(const BuildOutcome& built) const;

  const Problem& problem_;
  const RunOptions& options_;
  RunSetup& setup_;
  const Record& run_;
  std::shared_ptr<KnownCases> known_ = std::make_shared<KnownCases>();
};

}  // namespace kgrade
