// Launches that fail are seen by the worker, also where the contestant does not look at the error, or reads
// it and goes on: the linker puts functions of ours in front of the CUDA runtime's.
#pragma once

#include <string>

namespace kgrade {

// C++ that takes the launches of a contestant that is linked with launch_watch_options(). It needs no header,
// and tells kgrade_launch_failed(int) of the worker's the cudaError_t of each launch that fails.
std::string launch_watch_source();

// For ld: what follows "-Wl," or nvcc's "-Xlinker=".
std::string launch_watch_options();

}  // namespace kgrade
