// A CallWatch watches one call of a worker below a tool (CheckedCudaWorker), inside the worker's process. The
// contestant runs in the same process, and could forge the reports.
#pragma once

#include <memory>
#include <span>

namespace kgrade::cuda {

class CallWatch {
 public:
  virtual ~CallWatch() = default;
  virtual void begin(int ordinal) = 0;
  // Call this when the device is idle again.
  virtual void end() = 0;
};

// The number of the watched call. The first call is not watched, because modules are loaded in it, and a
// contestant in Python compiles and tunes itself in it.
inline constexpr int watched_call = 2;

// Makes the watch that the words of the worker's command ask for. Null if there are none:
//   --profile the profiler above the process sees only the launches of the call
//                             (cuProfilerStart, cuProfilerStop)
//   --activity FILE LIBRARY   CUPTI, which is in LIBRARY, records the kernels of the call into FILE
std::unique_ptr<CallWatch> call_watch(std::span<const char* const> words);

// The lines of FILE, with tabs between their words. Names are mangled; times are in nanoseconds.
//   limits  threads registers shared_bytes blocks reserved_shared_bytes   (of a multiprocessor; per block)
//   kernel  name start end grid_x grid_y grid_z block_x block_y block_z registers static_shared
//           dynamic_shared local_bytes
//   error   why there are no kernels

// Launches a kernel that does nothing. `kgrade doctor` does this to try whether a profiler may read the
// counters. False if the device or the driver refuses.
bool launch_empty_kernel(int ordinal);

}  // namespace kgrade::cuda
