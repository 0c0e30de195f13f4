// The worker's side of a device: mapping what the referee lends, and one call of the contestant's entry
// between two time stamps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/unique_fd.h"

namespace kgrade {

using Entry = int (*)(const unsigned long long* arguments);  // kgrade_entry, see compile/binding.h
// The arguments of each launch of a call, in order.
using Launches = std::span<const unsigned long long* const>;

struct TimedCall {
  bool device_failed = false;  // the worker's own device calls fail
  int error = 0;               // cudaError_t of the call
  // cudaError_t of the first kernel launch that failed, though the contestant may have read that error; 0:
  // none.
  int failed_launch = 0;
  double elapsed_ms = 0;  // of all launches together
  bool latency_hidden = false;
  // Of device memory, where it is less than the device has and was reached.
  std::uint64_t memory_limit_bytes = 0;
};

// A buffer as the referee lends it. The tensor is [begin, begin + length) of it; around that are guard zones.
struct LentBuffer {
  std::uint64_t bytes = 0;  // of the whole buffer
  bool writable = false;
  std::uint32_t parameter = 0;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  bool holds_data = false;   // an input; an output is not written before the contestant does
  std::uint32_t launch = 0;  // of a call, that the buffer is for
  bool captures = false;  // no tensor of the contestant's: takes the output's contents when the clock stops
};

// Where a worker keeps what an output of a call holds when the clock stops.
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
  // False where the output is not captured, or has no room for so much.
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
  // Before the contestant's library is loaded: whatever takes long once (a context).
  virtual bool prepare() = 0;
  // The address of a lent buffer in this process; 0 when it cannot be mapped.
  virtual std::uint64_t map(UniqueFd descriptor, const LentBuffer& buffer) = 0;
  virtual void unmap_all() = 0;
  // Whether what it maps are files, which a process could open again after changing their permissions.
  virtual bool maps_files() const { return false; }
  // How many bytes of an output are captured from now on. False where nothing of it is, or there is no room.
  virtual bool set_capture_length(std::uint32_t /*launch*/, std::uint32_t /*parameter*/,
                                  std::uint64_t /*bytes*/) {
    return false;
  }

  // A call in three steps. Begins it: the entry once for each launch, up to the first that leaves an error.
  // With a `gate` other than 0, nothing of it runs on the device before the gate that was adopted stands
  // there, and the function returns as soon as everything is queued.
  virtual void begin_call(Entry entry, Launches launches, std::uint32_t gate) = 0;
  // Waits until the clock has stopped and the outputs are captured.
  virtual TimedCall end_call() = 0;
  // Waits until nothing runs on the device. How many bytes of its cache keep lines for the contestant.
  virtual std::uint64_t settle() { return 0; }
  // Makes the cache keep nothing for the contestant any more: that would outlive the flush before the next
  // call.
  virtual void evict_cache_lines() {}

  // Before the contestant's library is loaded: maps the Gate (device/gate.h) in this memory file. False when
  // the device cannot wait for it.
  virtual bool adopt_gate(UniqueFd /*gate*/) { return false; }
  // Returns when the gate that was adopted stands there: for calls whose launches cannot.
  virtual void wait_at_gate(std::uint32_t /*gate*/) {}

  // Before the contestant's library is loaded: what is wrong with its memory accesses goes into the
  // FindingBook (device/finding_book.h) in this memory file. False when the device cannot look at them, or
  // not map it.
  virtual bool watch(UniqueFd /*book*/) { return false; }
  // Once the library is loaded.
  virtual void has_loaded(Entry /*entry*/) {}
  // Sets these bytes, which may be the contestant's own memory, and waits until it is done. False where they
  // cannot be written.
  virtual bool overwrite(std::uint64_t /*address*/, std::uint64_t /*bytes*/, unsigned char /*value*/) {
    return true;
  }
  // The referee wants nothing more.
  virtual void conclude() {}
};

}  // namespace kgrade
