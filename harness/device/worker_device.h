// The worker's side of a device: it maps lent buffers, and calls the contestant's entry between two time
// stamps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "device/failed_launch.h"

namespace kgrade {

using Entry = int (*)(const unsigned long long* arguments);  // kgrade_entry, see compile/binding.h
// The arguments of each launch of a call, in order.
using Launches = std::span<const unsigned long long* const>;

struct TimedCall {
  bool device_failed = false;  // the worker's own device calls fail
  int error = 0;               // cudaError_t of the call
  FailedLaunch failed_launch;  // the first one, even if the contestant has read its error
  double elapsed_ms = 0;       // of all launches together
  bool latency_hidden = false;
  // The limit on device memory, if it was reached and is less than the device has.
  std::uint64_t memory_limit_bytes = 0;
};

// A buffer as the referee lends it. The tensor is at [begin, begin + length), and guard zones are around it.
struct LentBuffer {
  std::uint64_t bytes = 0;  // of the whole buffer
  bool writable = false;
  std::uint32_t parameter = 0;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  bool holds_data = false;   // an input; nothing writes an output before the contestant does
  std::uint32_t launch = 0;  // the launch of a call that the buffer is for
  bool captures = false;     // not a tensor: takes a copy of the output when the clock stops
};

// Where a worker keeps a copy of an output when the clock stops.
struct Capture {
  std::uint32_t launch;  // of the call
  std::uint32_t parameter;
  void* memory;
  std::uint64_t bytes;  // of the output
  std::uint64_t room;   // in `memory`
};

class Captures {
 public:
  void add(const Capture& capture) { all_.push_back(capture); }
  void clear() { all_.clear(); }
  // False if the output is not captured, or has no room for that many bytes.
  bool set_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) {
    for (Capture& capture : all_) {
      if (capture.launch != launch || capture.parameter != parameter || bytes > capture.room) continue;
      capture.bytes = bytes;
      return true;
    }
    return false;
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<Capture> all_;
};

class WorkerDevice {
 public:
  virtual ~WorkerDevice() = default;
  // Before the contestant's library is loaded: does what takes long once (creates a context).
  virtual bool prepare() = 0;
  // The address of a lent buffer in this process; 0 when it cannot be mapped.
  virtual std::uint64_t map(UniqueFd descriptor, const LentBuffer& buffer) = 0;
  virtual void unmap_all() = 0;
  // Whether it maps files, which a process could open again after changing their permissions.
  virtual bool maps_files() const { return false; }
  // Sets how many bytes of an output are captured from now on. False if the output is not captured, or if
  // there is no room.
  virtual bool set_capture_length(std::uint32_t /*launch*/, std::uint32_t /*parameter*/,
                                  std::uint64_t /*bytes*/) {
    return false;
  }

  // Begins a call, which has three steps. Calls the entry once per launch, up to the first launch that leaves
  // an error. With a `gate` other than 0, nothing of the call runs on the device before the adopted gate
  // reaches this number, and the function returns as soon as everything is queued.
  virtual void begin_call(Entry entry, Launches launches, std::uint32_t gate) = 0;
  // Waits until the clock has stopped and the outputs are captured.
  virtual TimedCall end_call() = 0;
  // Waits until nothing runs on the device. Returns how many bytes of its cache keep lines for the
  // contestant.
  virtual std::uint64_t settle() { return 0; }
  // Makes the cache keep nothing for the contestant: kept lines would outlive the flush before the next call.
  virtual void evict_cache_lines() {}

  // Before the contestant's library is loaded: maps the Gate (device/gate.h) in this memory file. False if
  // the device cannot wait for it.
  virtual bool adopt_gate(UniqueFd /*gate*/) { return false; }
  // Returns when the adopted gate reaches this number. For calls whose launches cannot wait on the device.
  virtual void wait_at_gate(std::uint32_t /*gate*/) {}

  // Before the contestant's library is loaded: notes faulty memory accesses in the FindingBook
  // (device/finding_book.h) in this memory file. False if the device cannot check accesses, or cannot map the
  // book.
  virtual bool watch(UniqueFd /*book*/) { return false; }
  // Called once the library is loaded.
  virtual void has_loaded(Entry /*entry*/) {}
  // Sets these bytes, which may be the contestant's own memory, and waits until that is done. False if they
  // cannot be written.
  virtual bool overwrite(std::uint64_t /*address*/, std::uint64_t /*bytes*/, unsigned char /*value*/) {
    return true;
  }
  // Called when the referee wants nothing more.
  virtual void conclude() {}
};

}  // namespace kgrade
