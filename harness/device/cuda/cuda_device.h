// A CUDA GPU from the referee's side.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/registry.h"

namespace kgrade::cuda {

CudaProbe probe();
// Creates the context of the referee on a device that there is.
Result<std::unique_ptr<Device>> open(int ordinal, const std::string& worker_directory);

}  // namespace kgrade::cuda
