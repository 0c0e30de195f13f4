// Runs the commands of a build in a sandbox. A contestant's source may be hostile at compile time too:
// #include and .incbin could read other files of the user. In the sandbox the compiler sees only its own
// installation, the output folder and the files that the request names.
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
  // `toolchain`: paths that the compiler itself needs to read (see below). Without a sandbox commands run
  // unconfined.
  explicit ConfinedCompiler(std::shared_ptr<const Sandbox> sandbox = nullptr,
                            std::vector<std::filesystem::path> toolchain = {});

  // Runs `command` in the request's output folder, which must be absolute. The command is confined if the
  // request lists the paths that it may read. Lines of the output are cut after 4,000 bytes, because later
  // readers of longer lines would overflow the stack. An Error if the command cannot be started.
  Result<ProcessOutcome> run(const BuildRequest& request, const std::vector<std::string>& command,
                             const std::vector<std::string>& environment, const ProcessLimits& limits,
                             const Spawner& spawner = spawn) const;

  // The permissions of a request's compiler.
  SandboxPolicy policy(const BuildRequest& request, const ProcessLimits& limits) const;

 private:
  std::shared_ptr<const Sandbox> sandbox_;
  std::vector<std::filesystem::path> toolchain_;
};

// The functions below find the paths that programs need to read: their own installations, and the system's
// programs and libraries. None of them is a folder of a user.

// The paths of a host compiler ("g++", "ccache g++"): the folders that it reports for its programs, headers
// and libraries, and the system's folders. The result has only existing paths, and for each link also its
// target.
std::vector<std::filesystem::path> host_compiler_paths(const std::vector<std::string>& command,
                                                       const std::vector<std::string>& environment);

// The paths of a program that reads compilers' output, such as addr2line.
std::vector<std::filesystem::path> tool_paths(const std::string& program);

// Identifies a program by its path, the size of its file and the time of its last change: "/usr/bin/g++
// 1234567 1700000000". If there is no such program, the result is only the name.
std::string stamp_of(const std::string& program);

// The parts of the CUDA toolkit that `nvcc` belongs to.
std::vector<std::filesystem::path> cuda_toolkit_paths(const std::filesystem::path& nvcc);

// These functions read the folders that compilers print: with -v between "#include <...> search starts here:"
// and "End of search list.", and with -print-search-dirs. They return only absolute names.
std::vector<std::filesystem::path> include_folders_of(const std::string& verbose_output);
std::vector<std::filesystem::path> search_folders_of(const std::string& search_dirs_output);

}  // namespace kgrade
