// The host's own C++ compiler. It builds everything that runs on the emulated device. This file finds the
// compiler, and makes the commands for a contestant's library. A plain build is optimised. In a checked build
// every access to memory is reported. It also says why a build failed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "compile/toolchain.h"

namespace kgrade {

// A C++ compiler with the arguments that its user always passes ("ccache g++").
struct HostCompiler {
  std::vector<std::string> command;
  std::string version;  // "g++ 12.2.0": name and version
  bool is_clang = false;
};

// The first of $CXX, g++, clang++ and c++ that exists. If none does, an Error that names the package to
// install.
Result<HostCompiler> find_host_compiler();

// The environment in which compilers run: PATH as it is here, and a folder for temporary files.
std::vector<std::string> clean_environment(const std::filesystem::path& temporary);

// A call of the host's compiler to make a contestant.
struct CompilerJob {
  std::filesystem::path unit;     // the .cpp file
  std::filesystem::path library;  // the result; a checked build leaves an object file beside it
  std::vector<std::string> definitions_and_folders;  // -D..., -I..., -include ...
  // Threads of a block may have to wait for each other.
  bool threads_cooperate = false;
  // Every access to memory is reported (device/emulated/checker/checking.h).
  bool checked = false;
  // Make only the file object_of(), and do not link.
  bool is_object = false;
};

// The object file that is made beside a library.
std::filesystem::path object_of(std::filesystem::path library);

// The flags with which every contestant is built. A record keeps them.
std::vector<std::string> fixed_flags();

// The commands of a job, in the order in which they run.
std::vector<std::vector<std::string>> commands_for(const HostCompiler& compiler, const CompilerJob& job);

// The command that links objects to a library. Either all objects come from checked builds, or none does.
std::vector<std::string> link_command(const HostCompiler& compiler, const std::filesystem::path& library,
                                      const std::vector<std::filesystem::path>& objects, bool checked);

// The outcome for a source that cannot be read or that the rewriter refuses. That is the contestant's fault.
BuildOutcome rewrite_failure(const Error& error);

// The error if the rewriter crashed or exceeded a limit, so that it gave no answer about a source.
Error rewriter_failure(const BuildRequest& request, const ProcessLimits& limits,
                       const ProcessOutcome& process);

// Judges why a build failed, by the compiler's exit and by the log in `outcome`. The source may need
// something that the device does not have, may not be C++ at all, may not fit the problem's signature, or may
// take too long to compile. `problem` is null for a source that need not define a problem's entry point. The
// answer goes into the outcome, which users read. Compiler errors about launches and shared arrays are
// translated into CUDA's terms, because compilers report these mistakes in terms of internal templates of the
// emulated device's headers.
void judge_failure(const Problem* problem, Dtype dtype, const ProcessLimits& limits,
                   const ProcessOutcome& process, BuildOutcome& outcome);

}  // namespace kgrade
