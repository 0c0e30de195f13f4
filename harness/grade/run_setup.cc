#include "grade/run_setup.h"

#include <fmt/format.h>

#include <numeric>

#include "draw/seed.h"
#include "grade/grading_order.h"

namespace kgrade {

RunSetup::RunSetup(const Problem& problem, const RunOptions& options, const Machinery& machinery,
                   bool checked)
    : problem_(problem),
      options_(options),
      machinery_(machinery),
      checked_(checked),
      seed_(options.seed ? *options.seed : random_seed()),
      start_(machinery.clock->now()),
      stages_(*machinery.clock) {}

Failure RunSetup::read(const CaseSelection& select) {
  auto candidates = read_candidates(options_.candidates, options_.layout);
  if (!candidates) return GradeFailure{exit_usage, candidates.errors()};
  candidates_ = std::move(*candidates);
  order_.resize(candidates_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (options_.shuffled && machinery_.measures_speed) order_ = grading_order(candidates_.size(), seed_);
  if (const Errors missing = missing_for_grading(problem_); !missing.empty()) {
    return GradeFailure{exit_usage, missing};
  }
  auto cases = select();
  if (!cases) return GradeFailure{exit_usage, cases.errors()};
  cases_ = std::move(*cases);
  reference_source_ = options_.layout.reference_source(problem_);
  if (std::filesystem::exists(reference_source_)) return std::nullopt;
  return GradeFailure{exit_usage,
                      {{fmt::format("problem '{}' has no reference", problem_.slug),
                        "write it: the oracle is built from it",
                        {reference_source_.string(), 0, 0}}}};
}

Failure RunSetup::start(std::initializer_list<Role> trusted) {
  if (options_.require_sandbox && !is_confined(machinery_)) return lack_of_sandbox();
  options_.progress("compiling");
  auto toolchain = machinery_.make_toolchain();
  if (!toolchain) return GradeFailure{exit_machine, toolchain.errors()};
  toolchain_ = std::move(*toolchain);
  for (const Role role : trusted) {
    trusted_.emplace_back(
        role, reference_source_,
        std::make_unique<Build>(*toolchain_, problem_, role, reference_source_, options_.layout, stages_));
  }
  start_build(0);
  auto device = open_device();
  if (!device) return GradeFailure{exit_machine, device.errors()};
  device_ = std::move(*device);
  device_->confine_workers(machinery_.sandbox);
  const Errors memory = check_memory(cases_, problem_, *device_);
  if (!memory.empty()) return GradeFailure{exit_usage, memory};
  for (TrustedContestant& contestant : trusted_) {
    if (auto failure = contestant.start_runner(*device_, problem_)) return failure;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Device>> RunSetup::open_device() {
  const auto timer = stages_.time("device");
  return machinery_.open_device();
}

void RunSetup::start_build(std::size_t place) {
  if (place >= order_.size()) return;
  next_build_ = std::make_unique<Build>(*toolchain_, problem_, Role::candidate,
                                        candidates_[order_[place]].path, options_.layout, stages_, checked_);
}

void RunSetup::describe(RunRecord& record) const {
  record.tool = tool_info();
  record.started_at = utc_now();
  record.host = host_info();
  record.device = device_->info();
  record.sandbox.confined = is_confined(machinery_);
  if (machinery_.sandbox) record.sandbox.layers = machinery_.sandbox->layers();
  record.problem_slug = problem_.slug;
  record.problem_title = problem_.title;
  record.problem_sha256 = problem_.content_sha256;
  record.dtype = problem_.dtype;
  const auto reference = reference_source_.lexically_relative(Layout::reference_folder(reference_source_));
  record.reference = {"reference/" + reference.string(), hash_of_reference(reference_source_)};
  record.toolchain = toolchain_->describe();
  record.seed = seed_;
}

Failure RunSetup::load_trusted() {
  {
    // They were started together: when the first has the device, the others are not far.
    const auto timer = stages_.time("workers");
    for (TrustedContestant& contestant : trusted_) {
      if (auto failure = contestant.await_ready()) return failure;
    }
  }
  for (TrustedContestant& contestant : trusted_) {
    if (auto failure = contestant.load(stages_)) return failure;
  }
  return std::nullopt;
}

Failure RunSetup::each_candidate(const Visit& visit) {
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const std::size_t number = order_[place];
    const std::unique_ptr<Build> build = std::move(next_build_);
    const Result<BuildOutcome>& built = build->finish();
    if (!built) return GradeFailure{exit_machine, built.errors()};
    if (auto failure = check_unchanged(candidates_[number])) return failure;
    start_build(place + 1);
    if (auto failure = visit(number, candidates_[number], *build)) return failure;
  }
  return std::nullopt;
}

Failure RunSetup::check_unchanged(const CandidateSource& source) const {
  if (is_unchanged(source, options_.layout)) return std::nullopt;
  return GradeFailure{
      exit_usage,
      {{fmt::format("candidate: changed while it was being {}", checked_ ? "checked" : "graded"),
        checked_ ? "check it again" : "grade it again",
        {source.path.string(), 0, 0}}}};
}

std::function<void(const std::string&)> RunSetup::progress_of(const CandidateSource& source) const {
  return [this, name = source.path.filename().string()](const std::string& what) {
    options_.progress(name + ": " + what);
  };
}

Failure RunSetup::guard(const std::function<Failure()>& run) {
  try {
    return run();
  } catch (const std::exception& thrown) {
    return failure_of(thrown);
  }
}

void RunSetup::close(RunRecord& record) {
  next_build_.reset();  // after a failure it may still run, and count its time
  take_times(record);
}

void RunSetup::take_times(RunRecord& record) {
  record.stages = stages_.stages();
  record.total_seconds = machinery_.clock->now() - start_;
}

}  // namespace kgrade
