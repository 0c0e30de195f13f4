// nvcc as a program of this machine: where it is, and how it is run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/confined_compiler.h"

namespace kgrade {

// nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; where that is a script, the program behind it.
std::optional<std::filesystem::path> find_nvcc();
// "13.0.88", or "unknown" where it does not say.
std::string version_of_nvcc(const std::filesystem::path& nvcc);

// nvcc for one GPU architecture.
class Nvcc {
 public:
  // `architecture` is the device's: "sm_90". With a sandbox compilers read only what a request names.
  Nvcc(std::filesystem::path program, const std::string& architecture,
       std::shared_ptr<const Sandbox> sandbox);

  std::string program() const { return program_.string(); }
  // Of the CUDA Toolkit: "include", "lib64".
  std::string toolkit_folder(const char* name) const;
  // The flag that names the architecture.
  const std::string& gencode() const { return gencode_; }

  // Runs `command`, of nvcc or of the host's compiler, within limits(); see ConfinedCompiler::run().
  Result<ProcessOutcome> run(const BuildRequest& request, const std::vector<std::string>& command) const;
  static ProcessLimits limits(const BuildRequest& request);

 private:
  std::filesystem::path program_;
  std::string gencode_;
  ConfinedCompiler compiler_;
};

}  // namespace kgrade
