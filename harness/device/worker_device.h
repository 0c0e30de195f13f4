// The worker's side of a device: mapping what the referee lends, and one call of the contestant's entry
// between two time stamps.
#pragma once

#include <cstdint>
#include <memory>

#include "base/unique_fd.h"

namespace kgrade {

using Entry = int (*)(const unsigned long long* arguments);  // kgrade_entry, see build/binding.h

struct TimedCall {
  bool device_failed = false;  // the worker's own device calls fail
  int error = 0;               // cudaError_t of the call
  double elapsed_ms = 0;
  bool latency_hidden = false;
};

class WorkerDevice {
 public:
  virtual ~WorkerDevice() = default;
  // Before the contestant's library is loaded: whatever takes long once (a context).
  virtual bool prepare() = 0;
  // The address of a lent buffer in this process; 0 when it cannot be mapped.
  virtual std::uint64_t map(UniqueFd descriptor, std::uint64_t bytes, bool writable) = 0;
  virtual void unmap_all() = 0;
  virtual TimedCall call(Entry entry, const unsigned long long* arguments) = 0;
};

}  // namespace kgrade
