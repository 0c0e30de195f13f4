#include "grade/trusted_contestant.h"

#include <fmt/format.h>

#include "grade/candidate_run.h"

namespace kgrade {

TrustedContestant::TrustedContestant(Role role, std::filesystem::path source, std::unique_ptr<Build> build)
    : name_(role == Role::oracle ? "oracle" : "reference"),
      source_(std::move(source)),
      build_(std::move(build)) {}

Failure TrustedContestant::start_runner(Device& device, const Problem& problem) {
  auto runner = ContestantRunner::start(device, problem);
  if (!runner) return GradeFailure{exit_machine, runner.errors()};
  runner_ = std::move(*runner);
  runner_->keep_small_buffers();
  return std::nullopt;
}

Failure TrustedContestant::await_ready() {
  const Answer ready = runner_->await_ready(load_patience);
  if (ready.ok()) return std::nullopt;
  return GradeFailure{exit_machine,
                      {{"a worker cannot use the device: " + ready.detail,
                        "run `kgrade doctor`; another program may hold the GPU",
                        {}}}};
}

Failure TrustedContestant::load(StageClock& stages) {
  const Result<BuildOutcome>& built = this->built();
  if (!built) return GradeFailure{exit_machine, built.errors()};
  if (built->status != BuildStatus::built) {
    return failure(exit_usage, "does not build: " + built->message,
                   "the reference must define the function that `kgrade show` prints");
  }
  const auto timer = stages.time("load");
  const Answer loaded = runner_->load(built->library, load_patience);
  if (loaded.ok()) return std::nullopt;
  return failure(exit_internal, "does not load: " + loaded.detail, "");
}

GradeFailure TrustedContestant::failure(int exit_code, const std::string& what,
                                        const std::string& remedy) const {
  return {exit_code, {{fmt::format("the {} {}", name_, what), remedy, {source_.string(), 0, 0}}}};
}

}  // namespace kgrade
