// What the program that loads contestants may set. Contestants see the functions of CUDA's runtime API and
// those of harness/device/emulated/include/kgrade_emulated, which this library offers by its exported
// symbols.
#pragma once

namespace kgrade_emulated {

// How many host threads share the blocks of a grid; 0 for as many as the process may use at once, which is
// also the default.
void set_host_threads(unsigned int count);
unsigned int host_threads();

}  // namespace kgrade_emulated
