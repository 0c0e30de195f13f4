// What the emulated device's worker gives a contestant: see runtime/limits.h for how much.
#pragma once

namespace kgrade::emulated {

// Sets the process's limits; from now on whoever goes beyond those of memory or of a stack ends the process
// with a last word to the referee. Before the contestant is loaded.
void limit_contestant();

}  // namespace kgrade::emulated
