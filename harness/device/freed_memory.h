// Memory of processes that have ended.
#pragma once

#include <chrono>

#include "device/device.h"

namespace kgrade {

// The driver takes back what a process had some time after its end. Returns when nothing more comes back, or
// after `patience`. At once where the device's memory is the host's.
void await_freed_memory(const Device& device, std::chrono::milliseconds patience);

}  // namespace kgrade
