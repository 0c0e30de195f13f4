// Waits for the memory of processes that have ended.
#pragma once

#include <chrono>

#include "device/device.h"

namespace kgrade {

// The driver frees the memory of a process some time after its end. Returns when no more memory becomes free,
// or after `patience`. Returns at once if the device's memory is the host's.
void await_freed_memory(const Device& device, std::chrono::milliseconds patience);

}  // namespace kgrade
