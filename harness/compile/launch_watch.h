// Reports failed kernel launches to the worker, even if the contestant ignores the error or clears it by
// reading it. For this, the linker replaces calls of the CUDA runtime's launch functions by calls of
// functions of kgrade.
#pragma once

#include <string>

namespace kgrade {

// C++ source that intercepts the launches of a contestant linked with launch_watch_options(). It needs no
// header. It passes the cudaError_t, the kernel and the configuration of each failed launch to the worker's
// kgrade_launch_failed().
std::string launch_watch_source();

// Options for ld, to be written after "-Wl," or nvcc's "-Xlinker=".
std::string launch_watch_options();

}  // namespace kgrade
