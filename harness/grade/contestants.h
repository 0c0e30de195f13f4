// Building contestants: the oracle and the reference from one source, candidates from theirs.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "base/role.h"
#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "compile/own_files.h"
#include "compile/toolchain.h"
#include "measure/baselines.h"
#include "record/stage_clock.h"

namespace kgrade {

// What the compiler of a candidate may read of the user's: the file and the headers of its folder, but
// nothing of the references, problems and solutions.
OwnFiles files_of_candidate(const std::filesystem::path& source, const Layout& layout);

// The SHA-256 of a candidate: of the file, or with headers of all that it may include (compile/own_files.h).
// An Error names a file that cannot be read.
Result<std::string> hash_of_candidate(const std::filesystem::path& source, const Layout& layout);

// How a contestant is built for a problem whose [VAR] is `dtype`, with the compiler's output going to
// `output`. The oracle has float32 elements in any case: it reads the same values, and gives outputs that are
// not rounded to a 16-bit type.
BuildRequest request_for(Role role, const std::filesystem::path& source, const std::filesystem::path& output,
                         const Layout& layout, Dtype dtype = Dtype::float32);

// The same of a baseline, in one of its variants.
BuildRequest request_for(const BaselineSource& baseline, const std::filesystem::path& output,
                         const Layout& layout);

// A contestant being built, for a checked run or a plain one, on a thread of its own, in a private folder
// that goes with the object.
class Build {
 public:
  Build(const Toolchain& toolchain, const Problem& problem, Role role, const std::filesystem::path& source,
        const Layout& layout, StageClock& stages, bool checked = false);
  Build(const Toolchain& toolchain, const Problem& problem, const BaselineSource& baseline,
        const Layout& layout, StageClock& stages);
  ~Build() = default;  // waits for the end
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  // Where the compiler runs.
  const std::filesystem::path& directory() const { return directory_.path(); }

  // Waits for the end; the same outcome every time.
  const Result<BuildOutcome>& finish();

 private:
  void start(const Toolchain& toolchain, const Problem& problem, Role role, BuildRequest request,
             const Layout& layout, StageClock& stages);

  TemporaryDirectory directory_;
  std::future<Result<BuildOutcome>> running_;
  std::optional<Result<BuildOutcome>> outcome_;
};

}  // namespace kgrade
