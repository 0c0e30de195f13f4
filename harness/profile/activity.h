// Reads what CUPTI has recorded in the worker (device/cuda/call_watch.h): times, grids and resources of
// kernels, without counters. The file comes from the candidate's process, so it may hold anything.
#pragma once

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

}  // namespace kgrade
