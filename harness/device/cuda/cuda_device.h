// A CUDA GPU from the referee's side.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/registry.h"

namespace kgrade::cuda {

CudaProbe probe();
// Creates the referee's context on an existing device.
Result<std::unique_ptr<Device>> open(int ordinal, const std::string& worker_directory);

}  // namespace kgrade::cuda
