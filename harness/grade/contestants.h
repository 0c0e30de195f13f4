// Building contestants: the oracle and the reference from one source, candidates from theirs.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "build/toolchain.h"
#include "grade/layout.h"
#include "grade/stage_clock.h"

namespace kgrade {

enum class Role { oracle, reference, candidate };

// A contestant being built, for a checked run or a plain one, on a thread of its own, in a private folder
// that goes with the object.
class Build {
 public:
  Build(const Toolchain& toolchain, const Problem& problem, Role role, const std::filesystem::path& source,
        const Layout& layout, StageClock& stages, bool checked = false);
  ~Build() { finish(); }
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  // Where the compiler runs.
  const std::filesystem::path& directory() const { return directory_.path(); }

  // Waits for the end; the same outcome every time.
  const Result<BuildOutcome>& finish();

 private:
  TemporaryDirectory directory_;
  std::future<Result<BuildOutcome>> running_;
  std::optional<Result<BuildOutcome>> outcome_;
};

}  // namespace kgrade
