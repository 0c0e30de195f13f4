// Reads what CUPTI has recorded in the worker (device/cuda/call_watch.h): times, grids and resources of
// kernels, without counters. The file comes from the candidate's process, so it may hold anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/kernel_profile.h"

namespace kgrade {

struct Activity {
  std::vector<KernelProfile> launches;  // in the order of their starts
  std::string problem;                  // why there are none; usually empty
};

// Lines that are not well formed are left out.
Activity parse_activity(const std::string& text);

// Gives kernels with counters the times of the activity. In that pass they ran as in any call, while Nsight
// Compute runs each kernel alone. Kernels that have no counters are added.
void take_activity(const std::vector<KernelProfile>& activity, std::vector<KernelProfile>& kernels);

// Tells a candidate's own kernels from those of PyTorch and of NVIDIA's libraries.
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
