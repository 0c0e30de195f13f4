// Builds a problem's oracle and reference once for all cases and calls them in workers, as grading does.
// Checks of soundness use these calls. Tests replace the workers with a fake.
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
#include "contest/contestant_runner.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "problem/case.h"
#include "soundness/call_outputs.h"
#include "soundness/host_values.h"

namespace kgrade {

// Changes a slice of an input's elements, which begins with element number `first`. Called for each slice, in
// order.
using ElementChange = std::function<void(std::uint64_t first, std::span<float> slice)>;

// A change to the drawn elements of an input, or of an output with drawn initial contents, from element
// `first` on. They are replaced by `values`, or `change` computes `count` elements from the drawn ones.
struct InputEdit {
  std::size_t tensor = 0;  // index into Case::tensors
  std::uint64_t first = 0;
  Values values = {};
  std::uint64_t count = 0;
  ElementChange change = {};
};

// Applies an edit to an input on the host.
void apply(const InputEdit& edit, Values& input);

// Calls of a problem's oracle and reference on one case at a time.
class ReferenceRunner {
 public:
  virtual ~ReferenceRunner() = default;

  // Sets the case of the next calls. An Error if the device has no room.
  virtual std::optional<Error> set_case(const Case& bound) = 0;

  // Calls the oracle on a draw's inputs with some elements changed. Returns all outputs in order. The memory
  // around the tensors holds other values in every call. An Error if the call fails.
  virtual Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // Calls the reference, in single precision, like oracle().
  virtual Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // The elements that the oracle's last call did not write: "3 of 217 elements of 'y'". Empty if it wrote
  // all.
  virtual std::string unwritten() { return ""; }
  // The inputs of the oracle's last call, as drawn and changed, in the order of Case::tensors. Empty for
  // outputs.
  virtual std::vector<Values> inputs() = 0;

  // Like oracle() and reference(), but for outputs that are only compared. So these outputs need not leave
  // the device. `bound` is the case of set_case().
  virtual Result<std::unique_ptr<CallOutputs>> call_oracle(const Case& bound, const Draw& draw,
                                                           const std::vector<InputEdit>& edits = {});
  virtual Result<std::unique_ptr<CallOutputs>> call_reference(const Case& bound, const Draw& draw,
                                                              const std::vector<InputEdit>& edits = {});
  // Like inputs(), but with only a sample of each tensor that has more than most_elements() elements
  // (soundness/sample.h). CallOutputs::values() samples outputs in the same way.
  virtual std::vector<Values> sampled_inputs() { return inputs(); }
  // Whether times of calls measure speed, as on a GPU.
  virtual bool measures_speed() const { return false; }
  virtual std::uint64_t most_elements() const { return std::numeric_limits<std::uint64_t>::max(); }
};

// The usual norms of a case's outputs. They come from `draws` calls of the oracle, on the seed's draws from
// number `first` on. The runner must have the case. An Error if a call fails.
Result<ExpectedScales> scales_of_draws(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                       std::uint32_t first, int draws);

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
  Failure start_runners();
  Failure load(TrustedContestant& contestant);
  Error about_source(const std::string& message, const std::string& remedy) const;

  SoundnessContext& context_;
  const Problem& problem_;
  std::filesystem::path source_;
  std::unique_ptr<Build> checked_;
  std::unique_ptr<TrustedContestant> oracle_;  // oracle_ and reference_ are null without a source
  std::unique_ptr<TrustedContestant> reference_;
  std::unique_ptr<ReferenceRunner> runner_;
  Failure no_runners_;  // why a Model's workers, which start at once, failed
  bool unsupported_ = false;
};

}  // namespace kgrade
