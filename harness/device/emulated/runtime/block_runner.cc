#include "device/emulated/runtime/block_runner.h"

#include <fmt/format.h>

#include "device/emulated/runtime/block_hooks.h"
#include "device/emulated/runtime/fault.h"

namespace kgrade_emulated {

BlockRunner& BlockRunner::of_this_thread() {
  static thread_local BlockRunner runner;
  return runner;
}

void BlockRunner::begin_grid(const BoundKernel& kernel, const Configuration& configuration) {
  kernel_ = &kernel;
  dynamic_shared_bytes_ = configuration.dynamic_shared_bytes;
  threads_ = configuration.block.x * configuration.block.y * configuration.block.z;
  gridDim = configuration.grid;
  blockDim = configuration.block;
}

void BlockRunner::run_block(uint3 block) {
  blockIdx = block;
  shared_memory_.begin_block(dynamic_shared_bytes_);
  call_block_hooks();
  if (kernel_->mode == BlockMode::independent) {
    kernel_->run(kernel_->arguments);
  } else {
    run_cooperative_block();
  }
}

void BlockRunner::run_cooperative_block() {
  next_thread_ = {0, 0, 0};
  started_ = 0;
  ended_ = 0;
  warps_.begin_block(threads_);
  adopt_running_stack(scheduler_);
  transfer(scheduler_, &idle_fiber());
}

Fiber& BlockRunner::idle_fiber() {
  if (Fiber* fiber = idle_.pop()) return *fiber;
  fibers_.push_back(std::make_unique<Fiber>(static_cast<unsigned int>(fibers_.size()), &fiber_entry));
  return *fibers_.back();
}

void BlockRunner::fiber_entry() {
  BlockRunner& runner = of_this_thread();
  on_first_turn(*runner.left_);
  runner.serve();
}

// The life of a fiber: threads of block after block.
void BlockRunner::serve() {
  Fiber& self = *current_;
  for (;;) {
    while (started_ < threads_) {
      begin_thread(self);
      kernel_->run(kernel_->arguments);
      end_thread();
    }
    retire_fiber();
  }
}

void BlockRunner::begin_thread(Fiber& fiber) {
  fiber.number = started_++;
  // Member by member: a copy of 8 bytes at once would have to wait for the 4 that the last call wrote.
  threadIdx.x = next_thread_.x;
  threadIdx.y = next_thread_.y;
  threadIdx.z = next_thread_.z;
  if (++next_thread_.x < blockDim.x) return;
  next_thread_.x = 0;
  if (++next_thread_.y < blockDim.y) return;
  next_thread_.y = 0;
  ++next_thread_.z;
}

void BlockRunner::end_thread() {
  ++ended_;
  if (barrier_is_complete()) release_barrier();
  warps_.retire(current_->number, ready_);
}

// Goes on with whoever can: a thread that is ready, or one that has not begun.
void BlockRunner::park() {
  Fiber& self = *current_;
  self.thread = threadIdx;
  Fiber* next = ready_.pop();
  if (next == nullptr && started_ < threads_) next = &idle_fiber();
  if (next == nullptr) next = converging_fiber();
  if (next == nullptr) report_deadlock();
  if (next != &self) transfer(self.context, next);
  threadIdx = self.thread;
}

void BlockRunner::retire_fiber() {
  Fiber& self = *current_;
  Fiber* next = ready_.pop();
  if (next == nullptr) next = converging_fiber();
  if (next == nullptr && ended_ < threads_) report_deadlock();
  idle_.push(self);
  transfer(self.context, next);
}

// To a fiber, or to the scheduler when there is none.
void BlockRunner::transfer(StackContext& from, Fiber* to) {
  current_ = to;
  left_ = &from;
  switch_stack(from, to != nullptr ? to->context : scheduler_);
}

BarrierResult BlockRunner::wait_at_barrier(int predicate) {
  require_cooperation("a barrier");
  ++barrier_arrived_;
  barrier_nonzero_ += predicate != 0 ? 1 : 0;
  if (barrier_is_complete()) {
    release_barrier();
  } else {
    at_barrier_.push(*current_);
    park();
  }
  // The next barrier cannot be complete before this thread has come to it too.
  return barrier_result_;
}

void BlockRunner::release_barrier() {
  barrier_result_ = {barrier_nonzero_, barrier_arrived_};
  barrier_arrived_ = 0;
  barrier_nonzero_ = 0;
  ready_.take_all(at_barrier_);
}

// A lane that asks which lanes are converged: nobody else can go on, so that those that came are all.
Fiber* BlockRunner::converging_fiber() {
  warps_.release_converging(ready_);
  return ready_.pop();
}

unsigned int BlockRunner::converged_lanes(unsigned int site) {
  const WarpMeeting& meeting = meet_warp(WarpOperation::converge, ~0u, 0, site);
  const unsigned int lanes = meeting.arrived;
  leave_warp(meeting);
  return lanes;
}

const WarpMeeting& BlockRunner::meet_warp(WarpOperation operation, unsigned int mask,
                                          unsigned long long value, unsigned int site) {
  require_cooperation("a warp operation");
  const auto [meeting, complete] = warps_.arrive(*current_, {operation, mask, site}, value, ready_);
  if (!complete) park();
  return *meeting;
}

void BlockRunner::require_cooperation(const char* what) const {
  if (kernel_ == nullptr) fault(fmt::format("{} outside of a kernel", what));
  if (kernel_->mode == BlockMode::independent) {
    fault(fmt::format("kernel {} reaches {} that its source does not show", kernel_->name, what));
  }
}

void BlockRunner::report_deadlock() const {
  fault(fmt::format(
      "deadlock: {} threads wait at __syncthreads, {} lanes wait in a __*_sync warp operation, "
      "{} threads have exited, in kernel {}, block ({},{},{})",
      barrier_arrived_, warps_.waiting_lanes(), ended_, kernel_->name, blockIdx.x, blockIdx.y, blockIdx.z));
}

}  // namespace kgrade_emulated
