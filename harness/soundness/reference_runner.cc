#include "soundness/reference_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "draw/seed.h"
#include "grade/session.h"
#include "soundness/host_values.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

class DeviceOutputs : public CallOutputs {
 public:
  // `bound` is the lease's case. It is shared, because the lease may end before these outputs.
  DeviceOutputs(Device& device, const Lease& lease, std::shared_ptr<const Case> bound,
                std::uint64_t most_elements)
      : device_(device), case_(std::move(bound)), most_elements_(most_elements) {
    for (std::size_t i = 0; i < lease.outputs().size(); ++i) outputs_.push_back(lease.compared(i));
  }

  std::optional<Error> keep() override {
    for (Lease::Compared& compared : outputs_) {
      if (auto error = keep(compared.output)) return error;
      for (std::optional<Lease::Loaned>* const other : {&compared.values, &compared.scales}) {
        if (!*other) continue;
        if (auto error = keep(**other)) return error;
      }
    }
    return std::nullopt;
  }

  const std::vector<Values>& values() override {
    if (!values_.empty()) return values_;
    for (const Lease::Compared& compared : outputs_) {
      const TensorSample sample = sample_of(compared.output.tensor->shape, most_elements_);
      values_.push_back(
          read_runs(device_, compared.output, sample.begins, static_cast<std::size_t>(sample.run)));
    }
    return values_;
  }

  ElementErrors errors(std::size_t output, CallOutputs& expected) override {
    const Lease::Compared& theirs = of(expected)[output];
    OutputPair pair = pair_of(*case_, outputs_[output], theirs);
    const Lease::Loaned& from = theirs.output.tensor->quantised ? *theirs.values : theirs.output;
    pair.magnitudes = magnitudes_of(device_.sample(
        *from.buffer, from.begin, static_cast<std::uint64_t>(from.tensor->elements), from.dtype));
    return device_.compare(pair);
  }

  bool equals(CallOutputs& other) override {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!equal(outputs_[i].output, of(other)[i].output)) return false;
    }
    return true;
  }

 private:
  static const std::vector<Lease::Compared>& of(CallOutputs& outputs) {
    return static_cast<const DeviceOutputs&>(outputs).outputs_;
  }

  // Compares stored values: indices without ties, and bytes of any type as numbers.
  bool equal(const Lease::Loaned& a, const Lease::Loaned& b) {
    const Dtype dtype = element_bytes(a.dtype) == 1 ? Dtype::uint8 : a.dtype;
    const auto elements = static_cast<std::uint64_t>(a.tensor->elements);
    const ElementErrors found = device_.compare({a.buffer, a.begin, b.buffer, b.begin, elements, dtype});
    return found.max_abs_difference == 0 && found.nonfinite_mismatches == 0;
  }

  // Copies by way of the host, because the device only copies whole buffers.
  std::optional<Error> keep(Lease::Loaned& tensor) {
    const auto elements = static_cast<std::uint64_t>(tensor.tensor->elements);
    const std::uint64_t bytes = elements * element_bytes(tensor.dtype);
    auto buffer = device_.allocate(bytes);
    if (!buffer) return buffer.error();
    std::vector<unsigned char> slice(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, copied_at_once)));
    for (std::uint64_t begin = 0; begin < bytes; begin += slice.size()) {
      const std::uint64_t count = std::min<std::uint64_t>(slice.size(), bytes - begin);
      device_.read(*tensor.buffer, tensor.begin + begin, slice.data(), count);
      device_.write(**buffer, begin, slice.data(), count);
    }
    tensor.buffer = buffer->get();
    tensor.begin = 0;
    kept_.push_back(std::move(*buffer));
    return std::nullopt;
  }

  static constexpr std::uint64_t copied_at_once = std::uint64_t{1} << 26;

  Device& device_;
  std::shared_ptr<const Case> case_;
  std::uint64_t most_elements_;
  std::vector<Lease::Compared> outputs_;
  std::vector<std::unique_ptr<SharedBuffer>> kept_;
  std::vector<Values> values_;
};

// The path as a user would write it in the current folder.
std::filesystem::path shown(const std::filesystem::path& path) {
  std::error_code failure;
  const auto near = std::filesystem::proximate(path, failure);
  return failure || near.empty() || *near.begin() == ".." ? path : near;
}

}  // namespace

void apply(const InputEdit& edit, Values& input) {
  const auto begin = input.begin() + static_cast<std::ptrdiff_t>(edit.first);
  if (edit.change) {
    edit.change(edit.first, std::span(begin, static_cast<std::size_t>(edit.count)));
  } else {
    std::copy(edit.values.begin(), edit.values.end(), begin);
  }
}

std::optional<Error> ReferenceRunner::set_case(const Case& bound) {
  contest_.take_back();
  case_ = std::make_shared<const Case>(bound);
  for (const Role role : {Role::oracle, Role::reference}) {
    const auto lent = contest_.lend(role, *case_, 1);
    if (!lent) return lent.error();
    if (!lent->ok()) return machine_error("a worker cannot use the case's memory: " + lent->detail);
  }
  return std::nullopt;
}

std::optional<Error> ReferenceRunner::call(Role role, const Draw& draw, const std::vector<InputEdit>& edits) {
  const auto finding = review_call(contest_.call_as(role, {}, draw, trusted_patience, edits));
  if (!finding) return std::nullopt;
  return Error{fmt::format("the {} fails: {}", to_string(role), finding->message),
               is_model_
                   ? "mend `Model`"
                   : "mend the reference source, from which it is built; `kgrade check` on it may say more",
               {}};
}

Result<std::vector<Values>> ReferenceRunner::values_of(Role role, const Draw& draw,
                                                       const std::vector<InputEdit>& edits) {
  if (const auto failure = call(role, draw, edits)) return *failure;
  return contest_.outputs_of(role);
}

Result<std::unique_ptr<CallOutputs>> ReferenceRunner::outputs_of(Role role, const Draw& draw,
                                                                 const std::vector<InputEdit>& edits) {
  if (const auto failure = call(role, draw, edits)) return *failure;
  if (is_large())
    return std::unique_ptr<CallOutputs>(std::make_unique<DeviceOutputs>(
        *contest_.device(), contest_.runner_of(role).lease(), case_, most_elements()));
  return std::unique_ptr<CallOutputs>(std::make_unique<HostOutputs>(
      *case_, contest_.outputs_of(role),
      role == Role::oracle && has_ties(*case_) ? inputs() : std::vector<Values>()));
}

std::vector<Values> ReferenceRunner::sampled_inputs() {
  if (!is_large()) return inputs();
  std::vector<Values> inputs;
  for (const Lease::Loaned& tensor : contest_.runner_of(Role::oracle).lease().tensors()) {
    const TensorSample sample = sample_of(tensor.tensor->shape, most_elements());
    inputs.push_back(tensor.tensor->output ? Values()
                                           : read_runs(*contest_.device(), tensor, sample.begins,
                                                       static_cast<std::size_t>(sample.run)));
  }
  return inputs;
}

std::uint64_t ReferenceRunner::most_elements() const { return sample_elements(*case_, whole_elements_); }

Result<ExpectedScales> scales_of_draws(ReferenceRunner& runner, std::uint64_t seed, std::uint32_t first,
                                       int draws) {
  std::vector<Samples> calls;
  for (int i = 0; i < draws; ++i) {
    const auto outputs = runner.call_oracle({seed, first + static_cast<std::uint32_t>(i)});
    if (!outputs) return outputs.errors();
    calls.emplace_back();
    for (const Values& values : (*outputs)->values()) calls.back().push_back(sample_of(values));
  }
  ExpectedScales scales;
  scales.learn_from(calls);
  return scales;
}

std::uint64_t sample_elements(const Case& bound, std::uint64_t whole) {
  const bool is_large = std::any_of(
      bound.tensors.begin(), bound.tensors.end(),
      [whole](const Tensor& tensor) { return static_cast<std::uint64_t>(tensor.elements) > whole; });
  // With samples of this size, a wrong answer takes a tenth of a second on the host.
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  return is_large ? std::min(whole, most) : std::numeric_limits<std::uint64_t>::max();
}

SoundnessContext::SoundnessContext(const SoundnessOptions& options, Bench& bench)
    : options_(options), bench_(bench), stages_(bench.clock()) {}

Failure SoundnessContext::open() {
  if (auto failure = bench_.open_toolchain(options_.require_sandbox)) return failure;
  return bench_.open_device(stages_);
}

Failure SoundnessContext::find_python() {
  if (Errors errors = bench_.find_python(options_.python, options_.layout.python); !errors.empty())
    return errors;
  model_host_ = host_of(*bench_.python(), bench_.toolchain(), false);
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
  // Workers of a Model start now, because importing PyTorch takes seconds.
  for (TrustedContestant* const contestant : {oracle_.get(), reference_.get()}) {
    if (problem.has_model() && !no_runners_)
      no_runners_ = contestant->start_runner(context_.device(), problem_, context_.model_host());
  }
}

Failure ProblemBuilds::load() {
  if (oracle_ == nullptr) {
    return Errors{about_source("the problem has no reference", "write it: the oracle is built from it")};
  }
  if (no_runners_) return no_runners_;
  for (TrustedContestant* const contestant : {oracle_.get(), reference_.get()}) {
    if (auto failure = load(*contestant)) return failure;
  }
  contest_ = std::make_unique<Contest>(context_.device(), problem_, oracle_->runner(), &reference_->runner(),
                                       random_seed());
  runner_ =
      std::make_unique<ReferenceRunner>(*contest_, context_.options().whole_elements, problem_.has_model());
  return std::nullopt;
}

// Unlike grading, lint separates faults of the author from faults of the machine.
Failure ProblemBuilds::load(TrustedContestant& contestant) {
  const auto& built = contestant.built();
  if (!built) return built.errors();
  unsupported_ = built->status == BuildStatus::unsupported;
  if (unsupported_) {
    return Errors{machine_error(fmt::format("the {} cannot run here: {}", contestant.name(), built->message),
                                "lint it on a machine with a GPU", {source_.string(), 0, 0})};
  }
  if (built->status != BuildStatus::built) {
    return Errors{about_source(fmt::format("the {} does not build: {}", contestant.name(), built->message),
                               "mend the source; it must define the function that `kgrade show` prints")};
  }
  if (!problem_.has_model()) {
    if (auto failure = contestant.start_runner(context_.device(), problem_)) return failure;
  }
  if (auto failure = contestant.await_ready()) return failure;
  return contestant.load(built->library);
}

Error ProblemBuilds::about_source(const std::string& message, const std::string& remedy) const {
  return {message, remedy, {source_.string(), 0, 0}};
}

namespace {

double relative_error(std::size_t output, CallOutputs& actual, CallOutputs& expected,
                      const MeanSquares& usual = {}) {
  // Thresholds do not affect the error.
  return judge(actual.errors(output, expected), {}, Precision::fp32, usual).relative_error;
}

}  // namespace

ElementErrors HostOutputs::errors(std::size_t output, CallOutputs& expected) {
  const auto& theirs = static_cast<const HostOutputs&>(expected);
  if (output_of(case_, output).compare == Comparison::Kind::scales) return {};  // in the codes' errors
  return compare(values_[output], theirs.values_[output],
                 form_of(case_, output, theirs.inputs_, theirs.values_, values_));
}

bool accepts_all(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected) {
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (acceptance.judge(i, actual.errors(i, expected)).verdict != Verdict::accepted) return false;
  }
  return true;
}

bool accepts_any(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected) {
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (acceptance.judge(i, actual.errors(i, expected)).verdict == Verdict::accepted) return true;
  }
  return false;
}

double error_of(CallOutputs& actual, CallOutputs& expected) {
  double error = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i)
    error = std::max(error, relative_error(i, actual, expected));
  return error;
}

double rounding_error_of(CallOutputs& actual, CallOutputs& expected, const Case& bound,
                         const ExpectedScales& scales) {
  double error = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (output_of(bound, i).compare == Comparison::Kind::norm)
      error = std::max(error, relative_error(i, actual, expected, scales.usual(i)));
  }
  return error;
}

}  // namespace kgrade
