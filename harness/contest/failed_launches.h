// Describes a failed launch in words, from the worker's report.
#pragma once

#include <string>

#include "device/failed_launch.h"

namespace kgrade {

// "kernel scale at mine.cu:20, grid (0, 1, 1), block (256, 1, 1): the grid has no blocks: its x is 0". It
// ends with the first limit of all GPUs since compute capability 3.0 that the launch breaks (Programming
// Guide, "Technical Specifications per Compute Capability"), if it breaks one. A GPU has further limits.
// Empty if nothing is known.
std::string describe_launch(const FailedLaunch& launch);

}  // namespace kgrade
