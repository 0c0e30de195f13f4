// What the emulated device's worker gives a contestant: see runtime/limits.h for how much.
#pragma once

#include <cstddef>

#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade::emulated {

// Sets the process's limits, before the contestant is loaded. A contestant that exceeds those of memory or of
// a stack ends in `on_excess`.
void limit_contestant(kgrade_emulated::LimitHandler on_excess);

}  // namespace kgrade::emulated
