// Runs the threads of one block after another on one host thread.
//
// Threads that may wait for each other run on fibers, but only on as many as needed. A fiber runs the threads
// of the block in order, as a loop. When a thread has to wait, its fiber is parked, and another fiber
// continues with the next thread. A kernel without waiting threads uses one fiber and never switches.
//
// Barriers, warp operations and the end of a thread share one rule: the last thread to arrive makes the
// waiting threads ready. When no thread is ready, lanes that ask which lanes are converged get their answer.
// If there are no such lanes but some threads have not ended, the block can never end: the deadlock is
// reported and the process aborted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/emulated/runtime/fiber.h"
#include "device/emulated/runtime/meetings.h"
#include "device/emulated/runtime/shared_memory.h"
#include "device/thread_order.h"
#include "kgrade_emulated/launch.h"
#include "kgrade_emulated/synchronisation.h"

namespace kgrade_emulated {

// Ends the process when the program cannot continue (__trap(), a failed assertion, wrong use): a message on
// stderr and SIGABRT.
[[noreturn]] void fault(const std::string& message);

// "mine.cu:20": where a launch stands, without folders. Empty if unknown.
std::string place_of(const Configuration& configuration);

// The order in which the threads of a block, and the blocks of a grid, begin (device/thread_order.h).
using kgrade::ThreadOrder;

// The starting order of one launch. Each launch draws its shuffled orders from its own key.
struct StartOrder {
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t key = 0;
};

// The order of the process's next launch, as set_thread_order() has set it.
StartOrder next_start_order();

// Lists a block's threads, 0 .. count - 1, in starting order; the list is empty for the forward order.
void list_threads(const StartOrder& order, std::uint64_t block, unsigned int count,
                  std::vector<unsigned int>& threads);

// A bijection of 0 .. count - 1: which block begins at a position. In a shuffled order, successive blocks are
// `stride_` apart, so that grids of 2^63 blocks need no list.
class BlockOrder {
 public:
  BlockOrder(const StartOrder& order, std::uint64_t count);
  std::uint64_t operator[](std::uint64_t position) const {
    if (order_ == ThreadOrder::forward) return position;
    if (order_ == ThreadOrder::reverse) return count_ - 1 - position;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{position} * stride_ + offset_) % count_);
  }

 private:
  ThreadOrder order_;
  std::uint64_t count_;
  std::uint64_t stride_ = 1;  // has no divisor in common with the count
  std::uint64_t offset_ = 0;
};

class BlockRunner {
 public:
  // The runner of the calling host thread.
  static BlockRunner& of_this_thread() { return runner_ != nullptr ? *runner_ : make_for_this_thread(); }
  // The size of the calling thread's current stack if an access to `address` means that this stack is full.
  // Otherwise 0. Safe in a signal handler.
  static std::size_t stack_that_ends_at(std::uintptr_t address);

  // Reports an access to the inaccessible memory behind the dynamic shared memory of the calling thread's
  // block, and ends the process. Returns if `address` lies elsewhere. Safe in a signal handler.
  static void report_shared_overrun(std::uintptr_t address);

  void begin_grid(const BoundKernel& kernel, const Configuration& configuration, const StartOrder& order);
  void run_block(uint3 block);
  void end_grid() {
    kernel_ = nullptr;
    cooperates_ = false;
  }
  bool is_running() const { return kernel_ != nullptr; }

  // Called by the current thread of the block.
  BarrierResult wait_at_barrier(int predicate);
  const WarpMeeting& meet_warp(WarpOperation operation, unsigned int mask, unsigned long long value,
                               unsigned int site = 0);
  void leave_warp(const WarpMeeting& meeting) { warps_.leave(meeting); }
  unsigned int thread() const { return current_->number; }  // its number in the block
  unsigned int lane() const { return current_->number % 32; }
  unsigned int converged_lanes(unsigned int site);
  void sleep_on(const void* key);
  unsigned int sleeping_on(const void* key) const { return sleepers_.count_at(key); }
  void wake(const void* key) { sleepers_.wake(key, ready_); }
  SharedMemory& shared_memory() { return shared_memory_; }

 private:
  static BlockRunner& make_for_this_thread();
  static void fiber_entry();
  [[noreturn]] void serve();
  void begin_thread(Fiber& fiber);
  void begin_listed_thread(Fiber& fiber);
  void end_thread();
  void park();
  Fiber* other_than_ready();
  Fiber* converging_fiber();
  void retire_fiber();
  void transfer(StackContext& from, Fiber* to);
  Fiber& idle_fiber();
  void run_cooperative_block();
  void run_independent_block();
  bool barrier_is_complete() const { return barrier_arrived_ > 0 && barrier_arrived_ + ended_ == threads_; }
  void release_barrier();
  void require_cooperation(const char* what) const {
    if (!cooperates_) [[unlikely]]
      refuse_to_wait(what);
  }
  [[noreturn, gnu::cold]] void refuse_to_wait(const char* what) const;
  [[noreturn]] void report_deadlock() const;
  [[noreturn, gnu::cold]] void report_small_dynamic_memory(std::size_t used) const;

  static constinit thread_local BlockRunner* runner_;

  const BoundKernel* kernel_ = nullptr;
  bool cooperates_ = false;  // the running kernel's threads may wait for each other
  const Configuration* configuration_ = nullptr;
  std::size_t most_shared_bytes_ = 0;
  unsigned int threads_ = 0;  // of a block
  StartOrder start_order_;

  // State of the current block.
  std::vector<unsigned int> listed_;  // thread numbers in starting order; empty: forward
  uint3 next_thread_{0, 0, 0};
  unsigned int started_ = 0;
  unsigned int ended_ = 0;
  unsigned int barrier_arrived_ = 0;
  unsigned int barrier_nonzero_ = 0;
  BarrierResult barrier_result_{0, 0};
  FiberQueue at_barrier_;
  FiberQueue ready_;
  WarpMeetings warps_;
  Sleepers sleepers_;
  SharedMemory shared_memory_;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  FiberQueue idle_;
  Fiber* current_ = nullptr;
  StackContext scheduler_;        // the host thread's own stack
  StackContext* left_ = nullptr;  // the stack that was left by the last switch
};

}  // namespace kgrade_emulated
