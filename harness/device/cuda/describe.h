// Asks the CUDA runtime about a GPU: its name, memory and versions, and the peaks that nothing on the GPU can
// exceed. A record keeps these. A speed beyond a peak shows that a time is false.
//
// Also measures the rates that the current CUDA device reaches, with the referee's own kernels
// (ceilings.cu).
#pragma once

#include <optional>

#include "record/device_info.h"

namespace kgrade::cuda {

// This takes about a third of a second, and up to 4 GiB of device memory meanwhile. Nothing if there is too
// little free memory for a copy through memory. measured_at stays empty. Throws on a CUDA error, as
// device/cuda/check.h does.
std::optional<Ceilings> measure_ceilings();

// Throws if the runtime does not know the device.
DeviceInfo describe(int ordinal);

}  // namespace kgrade::cuda
