// Runs the commands of a build. A contestant's source is hostile at compile time too: #include, .incbin and
// their like would read what is none of its business. With a sandbox the compiler sees itself, the output
// folder and what the request names.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "compile/toolchain.h"
#include "sandbox/sandbox.h"

namespace kgrade {

class ConfinedCompiler {
 public:
  // `toolchain`: what the compiler itself needs to read (see below). Without a sandbox
  // commands run as they are.
  explicit ConfinedCompiler(std::shared_ptr<const Sandbox> sandbox = nullptr,
                            std::vector<std::filesystem::path> toolchain = {});

  // Of a request that names what may be read; `command` runs in the output folder, which must be absolute.
  // Its output has no line longer than 4,000 bytes: reading a longer one takes more stack than there is. An
  // Error when the command cannot be started.
  Result<ProcessOutcome> run(const BuildRequest& request, const std::vector<std::string>& command,
                             const std::vector<std::string>& environment, const ProcessLimits& limits,
                             const Spawner& spawner = spawn) const;

  // What a request's compiler may do.
  SandboxPolicy policy(const BuildRequest& request, const ProcessLimits& limits) const;

 private:
  std::shared_ptr<const Sandbox> sandbox_;
  std::vector<std::filesystem::path> toolchain_;
};

// What compilers need to read: their own installations and the system's programs and libraries, nothing of a
// user.

// A host compiler ("g++", "ccache g++"): what it says itself about where it looks for its programs, headers
// and libraries, and the system's. Only what exists, without links where it has any.
std::vector<std::filesystem::path> host_compiler_paths(const std::vector<std::string>& command,
                                                       const std::vector<std::string>& environment);

// A program that reads what compilers make (addr2line): likewise.
std::vector<std::filesystem::path> tool_paths(const std::string& program);

// A program as it is now: "/usr/bin/g++ 1234567 1700000000", with the size of its file and the time that it
// was written; of a name that is no program, the name.
std::string stamp_of(const std::string& program);

// The parts of the CUDA toolkit that `nvcc` belongs to.
std::vector<std::filesystem::path> cuda_toolkit_paths(const std::filesystem::path& nvcc);

// Reading what compilers say: the folders between "#include <...> search starts here:" and "End of search
// list." of -v, and those of -print-search-dirs. Absolute names only.
std::vector<std::filesystem::path> include_folders_of(const std::string& verbose_output);
std::vector<std::filesystem::path> search_folders_of(const std::string& search_dirs_output);

}  // namespace kgrade
