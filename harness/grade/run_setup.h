// From options to contestants that can be called: what `grade` and `check` do alike before their first
// candidate, between candidates and in the end.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "grade/contestants.h"
#include "grade/machinery.h"
#include "grade/preparation.h"
#include "grade/run.h"
#include "grade/trusted_contestant.h"

namespace kgrade {

class RunSetup {
 public:
  using CaseSelection = std::function<Result<std::vector<PlannedCase>>()>;
  // One candidate by its number in the given order, with a build that has come to an end.
  using Visit = std::function<Failure(std::size_t number, const CandidateSource& source, Build& build)>;

  // Keeps references to all three. `checked`: candidates are built for checked runs.
  RunSetup(const Problem& problem, const RunOptions& options, const Machinery& machinery, bool checked);

  // Candidates, cases and the reference's place, with nothing started yet.
  Failure read(const CaseSelection& select);
  // Compilers run on threads of their own while this one opens the device and starts a worker for each of the
  // trusted, the oracle first.
  Failure start(std::initializer_list<Role> trusted);
  // What the records of all commands hold, once the run has started.
  void describe(RunRecord& record) const;
  // What the run took so far.
  void take_times(RunRecord& record);
  Failure load_trusted();
  // All of them, the next one being compiled meanwhile; ends at the first failure.
  Failure each_candidate(const Visit& visit);

  // Carries out the run, which fills the record, and closes it. What is thrown is a failure.
  template <class RecordType>
  RunOutcome<RecordType> carry_out(RecordType& record, const std::function<Failure()>& run) {
    Failure failure = guard(run);
    if (record.candidates.empty()) return {std::nullopt, std::move(failure)};
    close(record);
    return {std::move(record), std::move(failure)};
  }

  const std::vector<CandidateSource>& candidates() const { return candidates_; }
  const std::vector<PlannedCase>& cases() const { return cases_; }
  StageClock& stages() { return stages_; }
  Device& device() { return *device_; }
  const Toolchain& toolchain() const { return *toolchain_; }
  // In the order in which they were started.
  ContestantRunner& trusted_runner(std::size_t index) { return trusted_.at(index).runner(); }
  // Reports what is done with one candidate.
  std::function<void(const std::string&)> progress_of(const CandidateSource& source) const;

 private:
  static Failure guard(const std::function<Failure()>& run);
  Result<std::unique_ptr<Device>> open_device();
  void start_build(std::size_t place);
  Failure check_unchanged(const CandidateSource& source) const;
  void close(RunRecord& record);

  const Problem& problem_;
  const RunOptions& options_;
  const Machinery& machinery_;
  bool checked_;
  std::uint64_t seed_;
  double start_;
  StageClock stages_;
  std::vector<CandidateSource> candidates_;
  std::vector<std::size_t> order_;  // in which they are taken
  std::vector<PlannedCase> cases_;
  std::filesystem::path reference_source_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  std::vector<TrustedContestant> trusted_;
  std::unique_ptr<Build> next_build_;
};

}  // namespace kgrade
