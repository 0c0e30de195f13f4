// Tells a candidate's own kernels from those of PyTorch and of NVIDIA's libraries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/kernel_profile.h"

namespace kgrade {

class OwnKernels {
 public:
  // `binaries`: those that were built from the candidate. `text`: the candidate's text. A kernel is the
  // candidate's if a binary registers it (by its mangled name), or if the text defines it: `__global__ ...
  // name(` for NVRTC, `def name(` for Triton. A kernel in a namespace that the text does not define, such as
  // at::native, is not the candidate's.
  OwnKernels(const std::vector<std::filesystem::path>& binaries, std::string text);

  bool has(const KernelProfile& kernel) const;

 private:
  std::vector<std::string> binaries_;
  std::string text_;
};

// Marks the kernels, and fills in the candidate's share of the time and the names of other kernels.
struct OwnShare {
  std::optional<double> time_share;
  std::vector<std::string> others;
};
OwnShare mark_own(std::vector<KernelProfile>& kernels, const OwnKernels& own);

}  // namespace kgrade
