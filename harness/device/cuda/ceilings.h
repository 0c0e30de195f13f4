// Measures the rates that the current CUDA device reaches, with the referee's own kernels.
#pragma once

#include <optional>

#include "record/device_info.h"

namespace kgrade::cuda {

// Takes about a third of a second, and up to 4 GiB of device memory for that time. Nothing if there is too
// little free memory for a copy through memory. measured_at stays empty. Throws on a CUDA error, as
// device/cuda/check.h does.
std::optional<Ceilings> measure_ceilings();

}  // namespace kgrade::cuda
