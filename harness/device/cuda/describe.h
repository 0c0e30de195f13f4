// What the CUDA runtime says about a GPU: its name, memory and versions, and the peaks that nothing on it can
// exceed. A record keeps this, and a speed beyond a peak is a sign of a false time.
#pragma once

#include "record/device_info.h"

namespace kgrade::cuda {

// Throws if the runtime does not know the device.
DeviceInfo describe(int ordinal);

}  // namespace kgrade::cuda
