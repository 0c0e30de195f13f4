// Waits for the memory of processes that have ended.
#pragma once

#include <chrono>

#include "device/device.h"

namespace kgrade {

// The driver frees the memory of a process some time after its end. This function returns when no more memory
// becomes free, or after `patience`. It returns at once if the device uses the host's memory.
void await_freed_memory(const Device& device, std::chrono::milliseconds patience);

}  // namespace kgrade
