// A kernel that does nothing. `kgrade doctor` runs it to try whether a profiler may read the counters.
#pragma once

namespace kgrade::cuda {

// Launches the kernel once. False if the device or the driver refuses.
bool launch_empty_kernel(int ordinal);

}  // namespace kgrade::cuda
