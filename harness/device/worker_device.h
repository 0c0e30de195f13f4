// The worker's side of a device: it maps lent buffers, and calls the contestant's entry between two time
// stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "device/failed_launch.h"

namespace kgrade {

using Entry = int (*)(const unsigned long long* arguments);  // kgrade_entry, see compile/binding.h
// The arguments of each launch of a call, in order.
using Launches = std::span<const unsigned long long* const>;

// A call as its worker sees it. The structure is part of a message, so it has a fixed size.
struct CallTimes {
  std::int32_t error = 0;            // cudaError_t that the call left
  std::uint32_t latency_hidden = 0;  // 1: all launches were queued before the first one began
  double elapsed_ms = 0;             // of all launches together, between device events
  // The limit that an allocation or a stack exceeded. 0: no limit was exceeded, or it is unknown.
  std::uint64_t limit_bytes = 0;
  FailedLaunch failed_launch = {};  // the first one, even if the contestant has read its error
};

// A buffer that the referee lends. The structure is part of a message, so it has a fixed size. The tensor is
// at [begin, begin + length), with guard zones around it.
struct Loan {
  std::uint64_t bytes = 0;  // of the whole buffer
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint32_t parameter = 0;   // which parameter the buffer is for
  std::uint32_t launch = 0;      // which launch of a call the buffer is for
  std::uint32_t writable = 0;    // 0 or 1, like all members that follow
  std::uint32_t holds_data = 0;  // an input, or an output with initial contents
  std::uint32_t captures = 0;    // not a tensor: receives a copy of the output when the clock stops
  // The next two are for a capture: whether a contestant in Python may return memory of an input instead of
  // the output, and whether the returned memory is overwritten before the next request is served.
  std::uint32_t may_be_input = 0;
  std::uint32_t is_overwritten = 0;
  std::uint32_t unused = 0;  // takes the place of padding
};

// Where a worker keeps a copy of an output when the clock stops.
struct Capture {
  std::uint32_t launch;  // which launch of the call
  std::uint32_t parameter;
  void* memory;
  std::uint64_t bytes;  // the size of the output
  std::uint64_t room;   // the size of `memory`
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
  // Called before the contestant's library is loaded. Does work that takes long and is needed only once, such
  // as creating a context.
  virtual bool prepare() = 0;
  // The address of a lent buffer in this process; 0 when it cannot be mapped.
  virtual std::uint64_t map(UniqueFd descriptor, const Loan& loan) = 0;
  virtual void unmap_all() = 0;
  // Whether map() maps files. A process could open these again after changing their permissions.
  virtual bool maps_files() const { return false; }
  // Sets how many bytes of an output are captured from now on. False if the output is not captured, or if
  // there is no room.
  virtual bool set_capture_length(std::uint32_t /*launch*/, std::uint32_t /*parameter*/,
                                  std::uint64_t /*bytes*/) {
    return false;
  }

  // Begins a call, which consists of begin_call(), end_call() and settle(). Calls the entry once per launch,
  // up to the first launch that leaves an error. If `gate` is not 0, nothing of the call runs on the device
  // before the adopted gate reaches this number, and this function returns as soon as everything is queued.
  virtual void begin_call(Entry entry, Launches launches, std::uint32_t gate) = 0;
  // Waits until the clock has stopped and the outputs are captured. Nothing if the worker's own device calls
  // fail.
  virtual std::optional<CallTimes> end_call() = 0;
  // Waits until nothing runs on the device. Returns how many bytes of the device's cache hold lines that it
  // keeps for the contestant.
  virtual std::uint64_t settle() { return 0; }
  // Makes the cache drop lines that it keeps for the contestant, because such lines would outlive the flush
  // before the next call.
  virtual void evict_cache_lines() {}

  // Called before the contestant's library is loaded. Maps the Gate (device/gate.h) in this memory file.
  // False if the device cannot wait for it.
  virtual bool adopt_gate(UniqueFd /*gate*/) { return false; }
  // Returns when the adopted gate reaches this number. Used for calls whose launches cannot wait on the
  // device.
  virtual void wait_at_gate(std::uint32_t /*gate*/) {}

  // Called before the contestant's library is loaded. From then on, notes faulty memory accesses in the
  // FindingBook (device/finding_book.h) in this memory file. False if the device cannot check accesses, or
  // cannot map the book.
  virtual bool watch(UniqueFd /*book*/) { return false; }
  // Called once the library is loaded.
  virtual void has_loaded(Entry /*entry*/) {}
  // Sets these bytes, which may be the contestant's own memory, and waits until this is done. False if the
  // bytes cannot be written.
  virtual bool overwrite(std::uint64_t /*address*/, std::uint64_t /*bytes*/, unsigned char /*value*/) {
    return true;
  }
  // Called when the referee has no more requests.
  virtual void conclude() {}
};

}  // namespace kgrade
