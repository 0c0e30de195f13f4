// The places where threads of a block wait for some other threads: lanes in warp operations, and groups at
// their own barriers.
#pragma once

#include <memory>
#include <vector>

#include "device/emulated/runtime/fiber.h"
#include "kgrade_emulated/warp.h"

namespace kgrade_emulated {

// The properties that lanes must share to meet.
struct Rendezvous {
  WarpOperation operation;
  unsigned int mask;
  unsigned int site = 0;
  // When no other thread can continue, the meeting ends with the lanes that have arrived. This is for lanes
  // that ask which lanes are converged, and for lanes that their own mask leaves out. (This is undefined in
  // CUDA. GPUs let such a lane meet the lanes that arrive with it.)
  bool open_ended = false;
};

// The warps of one block. Lanes that arrive for the same operation with the same mask meet. They do not wait
// for lanes that have returned from the kernel or never existed.
class WarpMeetings {
 public:
  void begin_block(unsigned int threads);

  struct Arrival {
    WarpMeeting* meeting;
    bool complete;  // the lane was the last one; otherwise its fiber was queued in the meeting
  };
  Arrival arrive(Fiber& fiber, Rendezvous wanted, unsigned long long value, FiberQueue& ready);
  void leave(const WarpMeeting& meeting);

  // The thread has returned from the kernel.
  void retire(unsigned int thread, FiberQueue& ready) {
    Warp& warp = warps_[thread / 32];
    warp.gone |= 1u << thread % 32;
    if (warp.open != nullptr) close_complete(warp, ready);
  }

  // Completes every open-ended meeting with the lanes that have arrived.
  void release_converging(FiberQueue& ready);

  unsigned int waiting_lanes() const;

 private:
  struct Meeting : WarpMeeting {
    FiberQueue waiting;
    bool open_ended = false;
    Meeting* next = nullptr;  // in the warp's list or the free list
  };
  struct Warp {
    unsigned int gone = 0;  // lanes for which no lane waits
    Meeting* open = nullptr;
  };

  Meeting& open_meeting(Warp& warp, Rendezvous wanted);
  static bool is_complete(const Warp& warp, const Meeting& meeting) {
    return !meeting.open_ended && ((meeting.arrived | warp.gone) & meeting.mask) == meeting.mask;
  }
  void close_complete(Warp& warp, FiberQueue& ready);
  void close(Warp& warp, Meeting& meeting, FiberQueue& ready);

  std::vector<Warp> warps_;
  std::vector<std::unique_ptr<Meeting>> all_;
  Meeting* free_ = nullptr;
};

// Threads of a block that wait at a barrier that only some of them share (kgrade_emulated/synchronisation.h).
class Sleepers {
 public:
  void begin_block() { places_.clear(); }

  void sleep(Fiber& fiber, const void* key);
  // Makes all threads ready that sleep on the key.
  void wake(const void* key, FiberQueue& ready);

  unsigned int count_at(const void* key) const;
  unsigned int count() const;

 private:
  struct Place {
    const void* key;
    unsigned int count;
    FiberQueue waiting;
  };

  std::vector<Place> places_;  // few: one per barrier in use
};

}  // namespace kgrade_emulated
