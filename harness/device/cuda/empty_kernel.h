// A kernel that does nothing, for trying whether a profiler may count (`kgrade doctor`).
#pragma once

namespace kgrade::cuda {

// Launches it once. False if the device or the driver refuses.
bool launch_empty_kernel(int ordinal);

}  // namespace kgrade::cuda
