// A problem's oracle and reference, from which its soundness is found out: built once for all cases, and
// called in workers as grading calls them. Tests put a fake in the place of the workers.
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

// What becomes of the elements of an input from number `first` on, called slice by slice, in order.
using ElementChange = std::function<void(std::uint64_t first, std::span<float> slice)>;

// Elements of an input that differ from what a draw gives, from element `first` on: `values`, or `count`
// elements that `change` makes from the drawn ones.
struct InputEdit {
  std::size_t tensor = 0;  // index into Case::tensors
  std::uint64_t first = 0;
  Values values = {};
  std::uint64_t count = 0;
  ElementChange change = {};
};

// To the elements of an input on the host.
void apply(const InputEdit& edit, Values& input);

// Calls of a problem's oracle and reference on one case at a time.
class ReferenceRunner {
 public:
  virtual ~ReferenceRunner() = default;

  // The case of the calls to come. An Error when the device has no room.
  virtual std::optional<Error> set_case(const Case& bound) = 0;

  // One call of the oracle on a draw's inputs, with some elements changed: all outputs, in order. Everything
  // around the tensors holds other values in every call. An Error when the call fails.
  virtual Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // The same of the reference in single precision.
  virtual Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) = 0;
  // "3 of 217 elements of 'y'" that the oracle's last call did not write; empty when it wrote all.
  virtual std::string unwritten() { return ""; }
  // What the inputs of the oracle's last call held, as drawn and changed; in the order of Case::tensors,
  // empty for outputs.
  virtual std::vector<Values> inputs() = 0;

  // The same calls where outputs are compared and nothing else, and so need not leave the device. `bound` is
  // the case of set_case().
  virtual Result<std::unique_ptr<CallOutputs>> call_oracle(const Case& bound, const Draw& draw,
                                                           const std::vector<InputEdit>& edits = {});
  virtual Result<std::unique_ptr<CallOutputs>> call_reference(const Case& bound, const Draw& draw,
                                                              const std::vector<InputEdit>& edits = {});
  // As inputs(), but of those with more elements a sample of at most so many (soundness/sample.h), as of the
  // outputs.
  virtual std::vector<Values> sampled_inputs() { return inputs(); }
  virtual std::uint64_t most_elements() const { return std::numeric_limits<std::uint64_t>::max(); }
};

// A case with a tensor of more elements than `whole` is large: its outputs are compared on the device, and
// nothing but samples of this size is read.
std::uint64_t sample_elements(const Case& bound, std::uint64_t whole);
inline constexpr std::uint64_t usual_whole_elements = std::uint64_t{1} << 24;

struct SoundnessOptions {
  std::uint64_t seed = 0;  // of the inputs
  bool require_sandbox = false;
  std::string python;  // as --python has it: for problems whose reference is a Model
  std::uint64_t host_bytes =
      std::numeric_limits<std::uint64_t>::max();  // of host memory that a case may take
  std::uint64_t whole_elements = usual_whole_elements;
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// The bench with what all problems share.
class SoundnessContext {
 public:
  // Keeps references to both.
  SoundnessContext(const SoundnessOptions& options, Bench& bench);

  // A failure is the machine's.
  Failure open();
  // For problems whose oracle and reference are a Model in Python. Likewise.
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

// The oracle and the reference of one problem, built once for all of its cases. The constructor starts the
// compilers, on threads of their own.
class ProblemBuilds {
 public:
  // `checked`: the oracle for checked runs as well, but of a Model. Keeps references to both.
  ProblemBuilds(SoundnessContext& context, const Problem& problem, bool checked);

  // Waits for the builds and starts a worker for each. What the author can mend has the exit code exit_usage,
  // what the machine lacks exit_machine.
  Failure load();
  // After a load() that failed: true when the device runs other problems, but not this source.
  bool is_unsupported() const { return unsupported_; }

  const Problem& problem() const { return problem_; }
  const std::filesystem::path& source() const { return source_; }
  ContestantRunner& oracle() { return oracle_->runner(); }
  ReferenceRunner& runner() { return *runner_; }
  bool has_source() const { return oracle_ != nullptr; }
  // Null where none was asked for, there is no source, or it is a Model's.
  Build* checked_build() { return checked_.get(); }

 private:
  Failure start_runners();
  Failure load(TrustedContestant& contestant);
  Error about_source(const std::string& message, const std::string& remedy) const;

  SoundnessContext& context_;
  const Problem& problem_;
  std::filesystem::path source_;
  std::unique_ptr<Build> checked_;
  std::unique_ptr<TrustedContestant> oracle_;  // null, as the next one, where there is no source
  std::unique_ptr<TrustedContestant> reference_;
  std::unique_ptr<ReferenceRunner> runner_;
  Failure no_runners_;  // of a Model, whose workers are started at once
  bool unsupported_ = false;
};

}  // namespace kgrade
