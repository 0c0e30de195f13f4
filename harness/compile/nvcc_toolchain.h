// The toolchain for a GPU: builds contestants with nvcc for one GPU architecture only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/confined_compiler.h"
#include "compile/extension.h"
#include "compile/toolchain.h"

namespace kgrade {

// Finds nvcc on this machine and runs it.

// nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin. If it is a script, the program that the script runs.
std::optional<std::filesystem::path> find_nvcc();
// How to install nvcc.
inline constexpr const char* nvcc_remedy =
    "if kgrade is from pip, run `pip install 'kgrade[cuda]'`; otherwise install the CUDA Toolkit and put its "
    "bin folder into PATH";
// How to install g++, which nvcc calls.
inline constexpr const char* gxx_remedy =
    "run `apt-get install g++`, or install g++ 12 or later in another way";
// "13.0.88", or "unknown".
std::string version_of_nvcc(const std::filesystem::path& nvcc);

// nvcc for one GPU architecture.
class Nvcc {
 public:
  // `architecture` is the device's: "sm_90". With a sandbox, compilers read only the files that a request
  // names.
  Nvcc(std::filesystem::path program, const std::string& architecture,
       std::shared_ptr<const Sandbox> sandbox);

  std::string program() const { return program_.string(); }
  // The path of a folder of the CUDA Toolkit: "include", "lib64" or "lib". For "", the path of the toolkit
  // itself.
  std::string toolkit_folder(const char* name) const;
  // The flag that names the architecture.
  const std::string& gencode() const { return gencode_; }

  // Runs a command of nvcc or of the host's compiler within limits(). See ConfinedCompiler::run().
  Result<ProcessOutcome> run(const BuildRequest& request, const std::vector<std::string>& command) const;
  static ProcessLimits limits(const BuildRequest& request);

 private:
  std::filesystem::path program_;
  std::string gencode_;
  ConfinedCompiler compiler_;
};

// Contestants report failed kernel launches to the worker, even if they ignore the error or clear it by
// reading it. For this, the linker replaces calls of the CUDA runtime's launch functions by calls of
// functions of kgrade.
class NvccToolchain : public Toolchain {
 public:
  // Arguments: see Nvcc().
  NvccToolchain(std::filesystem::path nvcc, const std::string& architecture,
                std::shared_ptr<const Sandbox> sandbox = nullptr);

  std::string describe() const override;
  std::string identity() const override;
  std::filesystem::path cuda_toolkit() const override { return nvcc_.toolkit_folder(""); }
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override;
  // As in PyTorch, nvcc compiles CUDA units, and the host's compiler compiles the other units and links.
  Result<BuildOutcome> build_extension(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                       const BuildRequest& request) const override;

 private:
  std::vector<std::string> command(const BuildRequest& request, const std::filesystem::path& unit,
                                   const std::filesystem::path& library, bool lean) const;

  std::string version_;
  Nvcc nvcc_;
  std::vector<std::string> flags_;
};

}  // namespace kgrade
