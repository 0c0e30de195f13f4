// What a worker of a CUDA device has to see of the machine: its own program, what the driver reads about
// itself, the nodes of its one GPU, and the driver's libraries.
#pragma once

#include <filesystem>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade::cuda {

// `ordinal` is the runtime's number of the GPU.
SandboxPolicy worker_policy(const std::filesystem::path& program, int ordinal);

// Where the driver's libraries are, if that is not where the loader looks by itself.
std::vector<std::filesystem::path> library_folders();

}  // namespace kgrade::cuda
