// The toolchain for a GPU: builds contestants with nvcc for one GPU architecture only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/nvcc.h"
#include "compile/toolchain.h"

namespace kgrade {

class NvccToolchain : public Toolchain {
 public:
  // Arguments: see Nvcc().
  NvccToolchain(std::filesystem::path nvcc, const std::string& architecture,
                std::shared_ptr<const Sandbox> sandbox = nullptr);

  std::string describe() const override;
  std::string identity() const override;
  std::filesystem::path cuda_toolkit() const override { return nvcc_.toolkit_folder(""); }
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override;
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
