// Asks the CUDA runtime about a GPU: its name, memory and versions, and the peaks that nothing on the GPU can
// exceed. A record keeps these. A speed beyond a peak shows that a time is false.
//
// Also measures the rates that the current CUDA device reaches, with the referee's own kernels
// (ceilings.cu).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "record/device_info.h"
#include "sandbox/policy.h"

namespace kgrade::cuda {

// This takes about a third of a second, and up to 4 GiB of device memory meanwhile. Nothing if there is too
// little free memory for a copy through memory. measured_at stays empty. Throws on a CUDA error, as
// device/cuda/check.h does.
std::optional<Ceilings> measure_ceilings();

// Throws if the runtime does not know the device.
DeviceInfo describe(int ordinal);

// The parts of the machine that a worker of a CUDA device has to see: its own program, files that the driver
// reads about itself, the nodes of its one GPU, and the driver's libraries.

// `ordinal` is the runtime's number of the GPU.
SandboxPolicy worker_policy(const std::filesystem::path& program, int ordinal);

// Folders of the driver's libraries, if the loader does not search them on its own.
std::vector<std::filesystem::path> library_folders();

}  // namespace kgrade::cuda
