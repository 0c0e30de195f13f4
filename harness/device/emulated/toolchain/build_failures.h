// Says why a build for the emulated device failed. The source may need something that the device does not
// have, may not be C++ at all, may not fit the problem's signature, or may take too long to compile. The
// answer goes into the outcome of the build, which users read.
//
// Compiler errors about launches and shared arrays are translated into CUDA's terms, because compilers report
// these mistakes in terms of internal templates of the emulated device's headers.
#pragma once

#include <optional>
#include <string>

#include "base/subprocess.h"
#include "compile/toolchain.h"

namespace kgrade {

// The message for the first error of a log: "mine.cu:5: error: argument 1 of the launch is const float*, the
// kernel's parameter is float*". Nothing if the first error is not such a mistake.
std::optional<std::string> error_in_cudas_words(const std::string& log);

// The outcome for a source that cannot be read or that the rewriter refuses. That is the contestant's fault.
BuildOutcome rewrite_failure(const Error& error);

// The error if the rewriter crashed or exceeded a limit, so that it gave no answer about a source.
Error rewriter_failure(const BuildRequest& request, const ProcessLimits& limits,
                       const ProcessOutcome& process);

// Judges why a build failed, by the compiler's exit and by the log in `outcome`. `problem` is null for a
// source that need not define a problem's entry point.
void judge_failure(const Problem* problem, Dtype dtype, const ProcessLimits& limits,
                   const ProcessOutcome& process, BuildOutcome& outcome);

}  // namespace kgrade
