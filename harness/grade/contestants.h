// Builds and starts contestants: the oracle and the reference from one source, each candidate and baseline
// from its own.
//
// A control decides whether a candidate or the machine is to blame for a failed build. A candidate can fill
// a disk, and a full disk can make a candidate look wrong. So a control, which is known to be right, is
// built at the same moment: if that fails too, the machine is to blame.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "base/role.h"
#include "base/temporary_directory.h"
#include "compile/candidate_source.h"
#include "compile/layout.h"
#include "compile/matrix_units.h"
#include "compile/python_candidate.h"
#include "compile/toolchain.h"
#include "contest/contestant_runner.h"
#include "grade/run.h"
#include "measure/baselines.h"
#include "record/stage_clock.h"

namespace kgrade {

// Free space that a build may count on, in addition to the space that the control takes. It is more than the
// largest contestant that comes with kgrade needs.
inline constexpr std::uint64_t spare_room_bytes = std::uint64_t{16} << 20;

// Builds the request. After a failure that may be the machine's, waits for the other builds of this process,
// empties the output folder and builds a control with `spare_room_bytes` to spare. The control is the
// reference, or an empty function for our own contestants. An Error if the control fails in the same way;
// otherwise the outcome of one more try.
Result<BuildOutcome> build_with_control(const Toolchain& toolchain, const Problem& problem, Role role,
                                        const BuildRequest& request, const Layout& layout);

// The request that builds a candidate for a problem whose [VAR] is `dtype`, with the compiler's output in
// `output`.
BuildRequest request_for(const CandidateSource& candidate, const std::filesystem::path& output,
                         const Layout& layout, Dtype dtype = Dtype::float32);

// The request that builds a contestant of our own. The oracle always has float32 elements: it reads the same
// values, and its outputs are not rounded to a 16-bit type.
BuildRequest request_for(Role role, const std::filesystem::path& source, const std::filesystem::path& output,
                         const Layout& layout, Dtype dtype = Dtype::float32);

// The request that builds a baseline.
BuildRequest request_for(const BaselineSource& baseline, const std::filesystem::path& output,
                         const Layout& layout);

// A contestant that is being built, on its own thread, in a private folder that goes with the object.
// `python`: for a candidate in Python, or the Model of a problem's file; null for others. `checked`: for a
// checked run. `matrix_units` looks at what is built; null: nothing does. Keeps references.
class Build {
 public:
  Build(const Toolchain& toolchain, const Problem& problem, const CandidateSource& candidate,
        const Layout& layout, StageClock& stages, bool checked = false, const PythonTools* python = nullptr,
        std::unique_ptr<MatrixUnits> matrix_units = nullptr);
  // The oracle or the reference.
  Build(const Toolchain& toolchain, const Problem& problem, Role role, const std::filesystem::path& source,
        const Layout& layout, StageClock& stages, bool checked = false, const PythonTools* python = nullptr);
  Build(const Toolchain& toolchain, const Problem& problem, const BaselineSource& baseline,
        const Layout& layout, StageClock& stages);
  // For a source that no compiler gets: a compile error with these words.
  explicit Build(const std::string& fault);
  ~Build() = default;  // waits for the end
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  // Builds the extensions that a candidate in Python asks for, while this object lives. Empty for others.
  const ExtensionBuilder& extension_builder() const { return extension_builder_; }

  // Null if nothing looks at what is built.
  MatrixUnits* matrix_units() const { return matrix_units_.get(); }

  // The folder in which the compiler runs.
  const std::filesystem::path& directory() const { return directory_.path(); }

  // Waits for the end. Returns the same outcome every time.
  const Result<BuildOutcome>& finish();

 private:
  void start(StageClock& stages, std::function<Result<BuildOutcome>()> build);

  TemporaryDirectory directory_;
  std::unique_ptr<MatrixUnits> matrix_units_;
  ExtensionBuilder extension_builder_;
  std::unique_ptr<TemporaryDirectory> document_;  // holds the code of a candidate that is a document
  std::future<Result<BuildOutcome>> running_;
  std::optional<Result<BuildOutcome>> outcome_;
};

// The interpreter of contestants in Python: of candidates, and of a problem's own Model.
PythonHost host_of(const PythonTools& tools, const Toolchain& toolchain, bool imports_triton);

// How long a contestant's static constructors may take.
inline constexpr std::chrono::milliseconds load_patience{60'000};
inline constexpr std::chrono::milliseconds candidate_load_patience{10'000};

// A contestant of our own, the oracle or the reference. It is built and started once for all candidates.
class TrustedContestant {
 public:
  // `build` is under way, from `source`.
  TrustedContestant(Role role, std::filesystem::path source, std::unique_ptr<Build> build);

  // Starts its worker; with `python`, the worker of a problem's own Model.
  Failure start_runner(Device& device, const Problem& problem, const PythonHost* python = nullptr);
  // Waits until the worker has the device. A failure is the machine's.
  Failure await_ready();
  // Waits for the build and loads it. If the reference does not build, its author has to fix it.
  Failure load(StageClock& stages);
  // Loads what was built. It may be the machine's fault or the author's if that fails.
  Failure load(const std::filesystem::path& library);

  // Waits for the build.
  const Result<BuildOutcome>& built() { return build_->finish(); }
  const char* name() const { return name_; }  // "oracle"
  ContestantRunner& runner() { return *runner_; }

 private:
  const char* name_;
  std::filesystem::path source_;
  std::unique_ptr<Build> build_;
  std::unique_ptr<ContestantRunner> runner_;
};

}  // namespace kgrade
