// A contestant of our own, the oracle or the reference: built and started once for all candidates.
#pragma once

#include <filesystem>
#include <memory>

#include "contest/contestant_runner.h"
#include "grade/contestants.h"
#include "grade/run.h"

namespace kgrade {

class TrustedContestant {
 public:
  // `build` is under way, from `source`.
  TrustedContestant(Role role, std::filesystem::path source, std::unique_ptr<Build> build);

  // Starts its worker.
  Failure start_runner(Device& device, const Problem& problem);
  // Waits until the worker has the device. A failure is the machine's.
  Failure await_ready();
  // Waits for the build. What does not build is for the author of the reference to mend.
  Failure load(StageClock& stages);

  // Waits for the build.
  const Result<BuildOutcome>& built() { return build_->finish(); }
  const char* name() const { return name_; }  // "oracle"
  ContestantRunner& runner() { return *runner_; }

 private:
  GradeFailure failure(int exit_code, const std::string& what, const std::string& remedy) const;

  const char* name_;
  std::filesystem::path source_;
  std::unique_ptr<Build> build_;
  std::unique_ptr<ContestantRunner> runner_;
};

}  // namespace kgrade
