// nvcc as a toolchain: contestants for one GPU architecture, nothing else in the library.
#pragma once

#include <filesystem>
#include <string>

#include "compile/confined_compiler.h"
#include "compile/toolchain.h"

namespace kgrade {

// nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; where that is a script, the program behind it.
std::optional<std::filesystem::path> find_nvcc();
// "13.0.88", or "unknown" where it does not say.
std::string version_of_nvcc(const std::filesystem::path& nvcc);

struct ExtensionUnit;

class NvccToolchain : public Toolchain {
 public:
  // `architecture` is the device's: "sm_90". With a sandbox the compiler reads only what a request names.
  NvccToolchain(std::filesystem::path nvcc, std::string architecture,
                std::shared_ptr<const Sandbox> sandbox = nullptr);

  std::string describe() const override;
  std::string identity() const override;
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override;
  Result<BuildOutcome> build_extension(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                       const BuildRequest& request) const override;

 private:
  std::vector<std::string> command(const BuildRequest& request, const std::filesystem::path& unit,
                                   const std::filesystem::path& library, bool lean) const;

  std::vector<std::string> unit_command(const ExtensionRequest& extension,
                                        const std::vector<std::string>& includes,
                                        const ExtensionUnit& source, const std::filesystem::path& unit) const;
  std::vector<std::string> link_command(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                        const std::vector<std::filesystem::path>& units,
                                        const std::filesystem::path& library) const;
  static bool add_process(const ProcessOutcome& process, const BuildRequest& request, BuildOutcome& outcome);

  std::filesystem::path nvcc_;
  std::string version_;
  std::string gencode_;
  std::vector<std::string> flags_;
  ConfinedCompiler compiler_;
};

}  // namespace kgrade
