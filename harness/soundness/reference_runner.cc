#include "soundness/reference_runner.h"

#include <fmt/format.h>

#include "draw/seed.h"
#include "grade/session.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

// In workers, called as grading calls them.
class WorkerReferenceRunner : public ReferenceRunner {
 public:
  // Keeps references to all three. Both runners have loaded their contestants. The reference of a problem with a
  // Model returns its outputs: its answer is what was captured.
  WorkerReferenceRunner(Device& device, const Problem& problem, ContestantRunner& oracle,
                        ContestantRunner& reference)
      : device_(device),
        oracle_(oracle),
        reference_(reference),
        returns_outputs_(problem.has_model()),
        poison_key_(random_seed()) {
    const auto computed = ComputedInputs::make(device, problem, oracle);
    oracle_.take_inputs_from(computed);
    reference_.take_inputs_from(computed);
  }
  ~WorkerReferenceRunner() override { take_back(); }
  WorkerReferenceRunner(const WorkerReferenceRunner&) = delete;
  WorkerReferenceRunner& operator=(const WorkerReferenceRunner&) = delete;

  std::optional<Error> set_case(const Case& bound) override {
    take_back();
    case_ = std::make_unique<const Case>(bound);
    for (ContestantRunner* const runner : {&oracle_, &reference_}) {
      // Buffers move from call to call, so that nothing depends on where a tensor lies.
      LeaseTerms terms{true, false, 1};
      terms.widens = runner == &oracle_;
      terms.captures = returns_outputs_ && runner == &reference_;
      const auto lent = runner->lend(*case_, false, terms, lending_patience);
      if (!lent) return lent.error();
      if (!lent->ok()) return Error{"a worker cannot use the case's memory: " + lent->detail, "", {}};
    }
    return std::nullopt;
  }

  Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) override {
    return call(oracle_, "oracle", draw, edits);
  }

  Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) override {
    return call(reference_, "reference", draw, edits);
  }

  std::string unwritten() override {
    const auto outputs = oracle_.lease().outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::uint64_t count = oracle_.lease().unwritten_elements(i);
      if (count > 0)
        return fmt::format("{} of {} elements of '{}'", count, outputs[i].tensor->elements,
                           outputs[i].tensor->name);
    }
    return "";
  }

  std::vector<Values> inputs() override {
    std::vector<Values> inputs;
    for (const Lease::Loaned& tensor : oracle_.lease().tensors())
      inputs.push_back(tensor.tensor->output ? Values() : read_values(device_, tensor));
    return inputs;
  }

 private:
  Result<std::vector<Values>> call(ContestantRunner& runner, const char* name, const Draw& draw,
                                   const std::vector<InputEdit>& edits) {
    ContestantRunner::Edit write;
    if (!edits.empty()) {
      write = [&](Lease& lease) {
        const auto tensors = lease.tensors();
        for (const InputEdit& edit : edits) {
          for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (i == edit.tensor || tensors[i].tensor->begins_as == edit.tensor)
              write_values(device_, tensors[i], edit.first, edit.values);
          }
        }
      };
    }
    Draw whole = draw;
    // A Model keeps its weights in grading too.
    if (returns_outputs_) whole.weights = 1;
    CallReport report =
        runner.checked_call(whole, poison_key_, ++calls_, trusted_patience, nullptr, {}, write);
    // These are the edits made here: the worker has its inputs read-only.
    if (!edits.empty()) report.corruption.input_elements = 0;
    if (const auto finding = review_call(report)) {
      return Error{
          fmt::format("the {} fails: {}", name, finding->message),
          returns_outputs_
              ? "mend `Model`"
              : "mend the reference source, from which it is built; `kgrade check` on it may say more",
          {}};
    }
    std::vector<Values> outputs;
    for (const Lease::Loaned& output : runner.lease().outputs())
      outputs.push_back(read_values(device_, output));
    return outputs;
  }

  void take_back() {
    oracle_.take_back();
    reference_.take_back();
  }

  Device& device_;
  ContestantRunner& oracle_;
  ContestantRunner& reference_;
  bool returns_outputs_;
  std::unique_ptr<const Case> case_;  // that the leases refer to
  std::uint64_t poison_key_;
  std::uint32_t calls_ = 0;
};

// As a user would write it in the current folder.
std::filesystem::path shown(const std::filesystem::path& path) {
  std::error_code failure;
  const auto near = std::filesystem::proximate(path, failure);
  return failure || near.empty() || *near.begin() == ".." ? path : near;
}

}  // namespace

SoundnessContext::SoundnessContext(const SoundnessOptions& options, const Machinery& machinery)
    : options_(options), machinery_(machinery), stages_(*machinery.clock) {}

Failure SoundnessContext::open() {
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

Failure SoundnessContext::find_python() {
  auto tools = find_python_tools(options_.python, options_.layout.python, machinery_.sandbox);
  if (!tools) return GradeFailure{exit_machine, tools.errors()};
  python_ = std::move(*tools);
  model_host_ = host_of(*python_, false);
  return std::nullopt;
}

ProblemBuilds::ProblemBuilds(SoundnessContext& context, const Problem& problem, bool checked)
    : context_(context),
      problem_(problem),
      source_(shown(context.options().layout.reference_source(problem))) {
  std::error_code ignored;
  if (!std::filesystem::exists(source_, ignored)) return;
  const auto start = [&](Role role, bool is_checked) {
    return std::make_unique<Build>(context.toolchain(), problem, role, source_, context.options().layout,
                                   context.stages(), is_checked,
                                   problem.has_model() ? context.python() : nullptr);
  };
  oracle_ = std::make_unique<TrustedContestant>(Role::oracle, source_, start(Role::oracle, false));
  reference_ = std::make_unique<TrustedContestant>(Role::reference, source_, start(Role::reference, false));
  if (checked && !problem.has_model()) checked_ = start(Role::reference, true);
  // Their workers import PyTorch meanwhile, which takes seconds.
  if (problem.has_model()) no_runners_ = start_runners();
}

Failure ProblemBuilds::load() {
  if (oracle_ == nullptr) {
    return GradeFailure{
        exit_usage, {about_source("the problem has no reference", "write it: the oracle is built from it")}};
  }
  if (no_runners_) return no_runners_;
  for (TrustedContestant* const contestant : {oracle_.get(), reference_.get()}) {
    if (auto failure = load(*contestant)) return failure;
  }
  runner_ = std::make_unique<WorkerReferenceRunner>(context_.device(), problem_, oracle_->runner(),
                                                    reference_->runner());
  return std::nullopt;
}

Failure ProblemBuilds::start_runners() {
  for (TrustedContestant* const contestant : {oracle_.get(), reference_.get()}) {
    if (auto failure = contestant->start_runner(context_.device(), problem_, context_.model_host()))
      return failure;
  }
  return std::nullopt;
}

// Unlike grading, lint separates faults of the author from faults of the machine.
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
  if (!problem_.has_model()) {
    if (auto failure = contestant.start_runner(context_.device(), problem_)) return failure;
  }
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
