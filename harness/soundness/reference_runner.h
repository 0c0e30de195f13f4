// Builds a problem's oracle and reference once for all cases, and calls them as grading does. Checks of
// soundness use these calls.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contest/contest.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "problem/case.h"
#include "soundness/host_values.h"

namespace kgrade {
// The outputs of one call of the oracle or the reference, and comparisons of two such calls. Outputs are on
// the host, or on the device if the case is large (ReferenceRunner). They are valid until the next call, or
// without limit after keep().
class CallOutputs {
 public:
  virtual ~CallOutputs() = default;

  // An Error if the device has no room.
  virtual std::optional<Error> keep() { return std::nullopt; }
  // All elements of each output, or a sample of them (TensorSample).
  virtual const std::vector<Values>& values() = 0;
  // The errors of all elements of an output. These are the actual outputs; `expected` are the oracle's
  // outputs for the same case.
  virtual ElementErrors errors(std::size_t output, CallOutputs& expected) = 0;
  // Whether all elements are equal. `other` must be of the same case.
  virtual bool equals(CallOutputs& other) = 0;
};

class HostOutputs : public CallOutputs {
 public:
  // `inputs` are the call's inputs. They are needed for outputs with ties, whose indices point into them, and
  // for codes, which represent them. Keeps a copy of the case.
  HostOutputs(const Case& bound, std::vector<Values> values, std::vector<Values> inputs)
      : case_(bound), values_(std::move(values)), inputs_(std::move(inputs)) {}

  const std::vector<Values>& values() override { return values_; }
  ElementErrors errors(std::size_t output, CallOutputs& expected) override;
  bool equals(CallOutputs& other) override { return values_ == other.values(); }

 private:
  Case case_;
  std::vector<Values> values_;
  std::vector<Values> inputs_;
};

bool accepts_all(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected);
bool accepts_any(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected);

// The largest error of any output. For a 16-bit type, the part that one rounding does not explain.
double error_of(CallOutputs& actual, CallOutputs& expected);
// The largest error of the outputs that are compared by the norm, in units of the usual norm where it is
// known and larger. Other outputs say nothing about arithmetic.
double rounding_error_of(CallOutputs& actual, CallOutputs& expected, const Case& bound,
                         const ExpectedScales& scales = {});

// Applies an edit to an input on the host.
void apply(const InputEdit& edit, Values& input);

// Calls of a problem's oracle and reference on one case at a time, as grading makes them.
class ReferenceRunner {
 public:
  // Keeps a reference to the contest, whose oracle and reference have loaded. A case is large if a tensor has
  // more than `whole_elements` elements. `is_model`: the reference is a Model in Python.
  ReferenceRunner(Contest& contest, std::uint64_t whole_elements, bool is_model = false)
      : contest_(contest), whole_elements_(whole_elements), is_model_(is_model) {
    contest_.take_no_turns();
  }
  ~ReferenceRunner() { contest_.take_back(); }
  ReferenceRunner(const ReferenceRunner&) = delete;
  ReferenceRunner& operator=(const ReferenceRunner&) = delete;

  // Sets the case of the next calls. An Error if the device has no room.
  std::optional<Error> set_case(const Case& bound);

  // Calls the oracle on a draw's inputs with some elements changed. Returns all outputs in order. The memory
  // around the tensors holds other values in every call. An Error if the call fails.
  Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) {
    return values_of(Role::oracle, draw, edits);
  }
  // Calls the reference, in single precision, like oracle().
  Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) {
    return values_of(Role::reference, draw, edits);
  }
  // The elements that the oracle's last call did not write: "3 of 217 elements of 'y'". Empty if it wrote
  // all.
  std::string unwritten() { return contest_.unwritten_by(Role::oracle); }
  // The inputs of the oracle's last call, as drawn and changed, in the order of Case::tensors. Empty for
  // outputs.
  std::vector<Values> inputs() { return contest_.inputs_of(Role::oracle); }

  // Like oracle() and reference(), but for outputs that are only compared. The outputs of a large case do not
  // leave the device.
  Result<std::unique_ptr<CallOutputs>> call_oracle(const Draw& draw,
                                                   const std::vector<InputEdit>& edits = {}) {
    return outputs_of(Role::oracle, draw, edits);
  }
  Result<std::unique_ptr<CallOutputs>> call_reference(const Draw& draw,
                                                      const std::vector<InputEdit>& edits = {}) {
    return outputs_of(Role::reference, draw, edits);
  }
  // Like inputs(), but with only a sample of each tensor that has more than most_elements() elements
  // (TensorSample). CallOutputs::values() samples outputs in the same way.
  std::vector<Values> sampled_inputs();
  // Whether times of calls measure speed, as on a GPU.
  bool measures_speed() const { return contest_.measures_speed(); }
  std::uint64_t most_elements() const;

 private:
  std::optional<Error> call(Role role, const Draw& draw, const std::vector<InputEdit>& edits);
  Result<std::vector<Values>> values_of(Role role, const Draw& draw, const std::vector<InputEdit>& edits);
  Result<std::unique_ptr<CallOutputs>> outputs_of(Role role, const Draw& draw,
                                                  const std::vector<InputEdit>& edits);
  bool is_large() const { return most_elements() < std::numeric_limits<std::uint64_t>::max(); }

  Contest& contest_;
  std::uint64_t whole_elements_;
  bool is_model_;
  std::shared_ptr<const Case> case_;  // the lease of each buffer refers to it
};

// The usual norms of a case's outputs. They come from `draws` calls of the oracle, on the seed's draws from
// number `first` on. The runner must have the case. An Error if a call fails.
Result<ExpectedScales> scales_of_draws(ReferenceRunner& runner, std::uint64_t seed, std::uint32_t first,
                                       int draws);

// The size of samples for a case. A case is large if a tensor has more than `whole` elements. The outputs of
// a large case are compared on the device, and only samples of them are read.
std::uint64_t sample_elements(const Case& bound, std::uint64_t whole);
inline constexpr std::uint64_t usual_whole_elements = std::uint64_t{1} << 24;

struct SoundnessOptions {
  std::uint64_t seed = 0;  // of the inputs
  bool require_sandbox = false;
  std::string python;  // the value of --python, for problems whose reference is a Model
  std::uint64_t host_bytes =
      std::numeric_limits<std::uint64_t>::max();  // of host memory that a case may take
  std::uint64_t whole_elements = usual_whole_elements;
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// The bench and the state that all problems share.
class SoundnessContext {
 public:
  // Keeps references to both.
  SoundnessContext(const SoundnessOptions& options, Bench& bench);

  // A failure is the machine's.
  Failure open();
  // Opens Python for problems whose oracle and reference are a Model. A failure is the machine's.
  Failure find_python();

  const SoundnessOptions& options() const { return options_; }
  std::shared_ptr<const Sandbox> sandbox() const { return bench_.machinery().sandbox; }
  Device& device() { return bench_.device(); }
  const Toolchain& toolchain() const { return bench_.toolchain(); }
  // Null before find_python().
  const PythonTools* python() const { return bench_.python(); }
  const PythonHost* model_host() const { return model_host_ ? &*model_host_ : nullptr; }
  StageClock& stages() { return stages_; }

 private:
  const SoundnessOptions& options_;
  Bench& bench_;
  StageClock stages_;
  std::optional<PythonHost> model_host_;
};

// The oracle and the reference of one problem, built once for all cases. The constructor starts the compilers
// on other threads.
class ProblemBuilds {
 public:
  // `checked`: also builds the oracle for checked runs, unless it is a Model. Keeps references to both.
  ProblemBuilds(SoundnessContext& context, const Problem& problem, bool checked);

  // Waits for the builds and starts a worker for each of them. The errors blame the author or the machine.
  Failure load();
  // After a failed load(): whether the device cannot run this source but may run other problems.
  bool is_unsupported() const { return unsupported_; }

  const Problem& problem() const { return problem_; }
  const std::filesystem::path& source() const { return source_; }
  ContestantRunner& oracle() { return oracle_->runner(); }
  ReferenceRunner& runner() { return *runner_; }
  bool has_source() const { return oracle_ != nullptr; }
  // The oracle for checked runs. Null if it was not asked for, if there is no source, or for a Model.
  Build* checked_build() { return checked_.get(); }

 private:
  Failure load(TrustedContestant& contestant);
  Error about_source(const std::string& message, const std::string& remedy) const;

  SoundnessContext& context_;
  const Problem& problem_;
  std::filesystem::path source_;
  std::unique_ptr<Build> checked_;
  std::unique_ptr<TrustedContestant> oracle_;  // oracle_ and reference_ are null without a source
  std::unique_ptr<TrustedContestant> reference_;
  std::unique_ptr<Contest> contest_;
  std::unique_ptr<ReferenceRunner> runner_;
  Failure no_runners_;  // why a Model's workers, which start at once, failed
  bool unsupported_ = false;
};

}  // namespace kgrade
