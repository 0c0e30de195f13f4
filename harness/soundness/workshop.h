// Device and compiler, opened once for all problems, and the oracle and the reference of one problem, built
// once for all of its cases.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "grade/contestants.h"
#include "grade/machinery.h"
#include "grade/trusted_contestant.h"
#include "soundness/stand.h"

namespace kgrade {

struct WorkshopOptions {
  std::uint64_t seed = 0;  // of the inputs
  bool require_sandbox = false;
  std::uint64_t host_bytes = std::numeric_limits<std::uint64_t>::max();  // of memory that may be used here
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

class Workshop {
 public:
  // Keeps references to both.
  Workshop(const WorkshopOptions& options, const Machinery& machinery);

  // A failure is the machine's.
  Failure open();

  const WorkshopOptions& options() const { return options_; }
  std::shared_ptr<const Sandbox> sandbox() const { return machinery_.sandbox; }
  Device& device() { return *device_; }
  const Toolchain& toolchain() const { return *toolchain_; }
  StageClock& stages() { return stages_; }

 private:
  const WorkshopOptions& options_;
  const Machinery& machinery_;
  StageClock stages_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
};

// The contestants of one problem. Compilers run from the construction on, on threads of their own.
class ProblemBuilds {
 public:
  // `checked`: for check_reference() too. All three must outlive the object.
  ProblemBuilds(Workshop& workshop, const Problem& problem, bool checked);

  // The rest: waits for the builds and starts a worker for each. What the author can mend has the exit code
  // exit_usage, what the machine lacks exit_machine.
  Failure load();
  // After a load() that failed: whether it was this source alone that the device cannot run.
  bool is_unsupported() const { return unsupported_; }

  const Problem& problem() const { return problem_; }
  const std::filesystem::path& source() const { return source_; }
  ContestantRunner& oracle() { return oracle_->runner(); }
  Stand& stand() { return *stand_; }
  // Null where none was asked for, or there is no source.
  Build* checked_build() { return checked_.get(); }

 private:
  Failure load(TrustedContestant& contestant);
  Error about_source(const std::string& message, const std::string& remedy) const;

  Workshop& workshop_;
  const Problem& problem_;
  std::filesystem::path source_;
  std::unique_ptr<Build> checked_;
  std::unique_ptr<TrustedContestant> oracle_;  // null, as the next one, where there is no source
  std::unique_ptr<TrustedContestant> reference_;
  std::unique_ptr<Stand> stand_;
  bool unsupported_ = false;
};

}  // namespace kgrade
