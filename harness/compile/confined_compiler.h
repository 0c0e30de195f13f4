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
  // `toolchain`: what the compiler itself needs to read (compile/toolchain_paths.h). Without a sandbox
  // commands run as they are.
  explicit ConfinedCompiler(std::shared_ptr<const Sandbox> sandbox = nullptr,
                            std::vector<std::filesystem::path> toolchain = {});

  // Of a request that names what may be read; `command` runs in the output folder, which must be absolute.
  // Its output has no line longer than 4,000 bytes: reading a longer one takes more stack than there is. An
  // Error when the command cannot be started.
  Result<ProcessOutcome> run(const BuildRequest& request, const std::vector<std::string>& command,
                             const std::vector<std::string>& environment, const ProcessLimits& limits) const;

  // What a request's compiler may do.
  SandboxPolicy policy(const BuildRequest& request, const ProcessLimits& limits) const;

 private:
  std::shared_ptr<const Sandbox> sandbox_;
  std::vector<std::filesystem::path> toolchain_;
};

}  // namespace kgrade
