// The parts of the machine that a worker of a CUDA device has to see: its own program, files that the driver
// reads about itself, the nodes of its one GPU, and the driver's libraries.
#pragma once

#include <filesystem>
#include <vector>

#include "sandbox/policy.h"

namespace kgrade::cuda {

// `ordinal` is the runtime's number of the GPU.
SandboxPolicy worker_policy(const std::filesystem::path& program, int ordinal);

// Folders of the driver's libraries, if the loader does not search them on its own.
std::vector<std::filesystem::path> library_folders();

}  // namespace kgrade::cuda
