#include "soundness/workshop.h"

#include <fmt/format.h>

#include "grade/candidate_run.h"

namespace kgrade {
namespace {

// As a user in this folder would name it.
std::filesystem::path shown(const std::filesystem::path& path) {
  std::error_code failure;
  const auto near = std::filesystem::proximate(path, failure);
  return failure || near.empty() || *near.begin() == ".." ? path : near;
}

}  // namespace

Workshop::Workshop(const WorkshopOptions& options, const Machinery& machinery)
    : options_(options), machinery_(machinery), stages_(*machinery.clock) {}

Failure Workshop::open() {
  if (options_.require_sandbox && !is_confined(machinery_)) return lack_of_sandbox();
  auto toolchain = machinery_.make_toolchain();
  if (!toolchain) return GradeFailure{exit_machine, toolchain.errors()};
  toolchain_ = std::move(*toolchain);
  auto device = machinery_.open_device();
  if (!device) return GradeFailure{exit_machine, device.errors()};
  device_ = std::move(*device);
  device_->confine_workers(machinery_.sandbox);
  return std::nullopt;
}

ProblemBuilds::ProblemBuilds(Workshop& workshop, const Problem& problem, bool checked)
    : workshop_(workshop),
      problem_(problem),
      source_(shown(workshop.options().layout.reference_source(problem))) {
  std::error_code ignored;
  if (!std::filesystem::exists(source_, ignored)) return;
  const auto start = [&](Role role, bool is_checked) {
    return std::make_unique<Build>(workshop.toolchain(), problem, role, source_, workshop.options().layout,
                                   workshop.stages(), is_checked);
  };
  oracle_ = std::make_unique<TrustedContestant>(Role::oracle, source_, start(Role::oracle, false));
  reference_ = std::make_unique<TrustedContestant>(Role::reference, source_, start(Role::reference, false));
  if (checked) checked_ = start(Role::reference, true);
}

Failure ProblemBuilds::load() {
  if (oracle_ == nullptr) {
    return GradeFailure{
        exit_usage, {about_source("the problem has no reference", "write it: the oracle is built from it")}};
  }
  for (TrustedContestant* const contestant : {oracle_.get(), reference_.get()}) {
    if (auto failure = load(*contestant)) return failure;
  }
  stand_ = std::make_unique<Stand>(workshop_.device(), problem_, oracle_->runner(), reference_->runner());
  return std::nullopt;
}

// Unlike grading, lint tells what is the author's to mend from what is the machine's.
Failure ProblemBuilds::load(TrustedContestant& contestant) {
  const auto& built = contestant.built();
  if (!built) return GradeFailure{exit_machine, built.errors()};
  unsupported_ = built->status == BuildStatus::unsupported;
  if (unsupported_) {
    return GradeFailure{
        exit_machine,
        {about_source(fmt::format("the {} cannot run here: {}", contestant.name(), built->message),
                      "lint it on a machine with a GPU")}};
  }
  if (built->status != BuildStatus::built) {
    return GradeFailure{
        exit_usage,
        {about_source(fmt::format("the {} does not build: {}", contestant.name(), built->message),
                      "mend the source; it must define the function that `kgrade show` prints")}};
  }
  if (auto failure = contestant.start_runner(workshop_.device(), problem_)) return failure;
  if (auto failure = contestant.await_ready()) return failure;
  const Answer loaded = contestant.runner().load(built->library, load_patience);
  if (loaded.ok()) return std::nullopt;
  return GradeFailure{exit_usage,
                      {about_source(fmt::format("the {} does not load: {}", contestant.name(), loaded.detail),
                                    "mend what it does before its first call")}};
}

Error ProblemBuilds::about_source(const std::string& message, const std::string& remedy) const {
  return {message, remedy, {source_.string(), 0, 0}};
}

}  // namespace kgrade
