// A CUDA GPU from the referee's side. Opening one creates the referee's context on it.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"
#include "device/registry.h"

namespace kgrade::cuda {

CudaProbe probe();
Result<std::unique_ptr<Device>> open(int ordinal, const std::string& worker_directory);

}  // namespace kgrade::cuda
