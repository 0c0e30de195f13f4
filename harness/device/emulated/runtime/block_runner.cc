#include "device/emulated/runtime/block_runner.h"

#include <fmt/format.h>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/limits.h"

namespace kgrade_emulated {
namespace {

// The position of a thread in its block.
uint3 position_of(unsigned int number) {
  const unsigned int row = number / blockDim.x;
  return uint3{number % blockDim.x, row % blockDim.y, row / blockDim.y};
}

}  // namespace

constinit thread_local BlockRunner* BlockRunner::runner_ = nullptr;

BlockRunner& BlockRunner::make_for_this_thread() {
  static thread_local BlockRunner runner;
  runner_ = &runner;
  return runner;
}

std::size_t BlockRunner::stack_that_ends_at(std::uintptr_t address) {
  const Fiber* const running = runner_ != nullptr ? runner_->current_ : nullptr;
  return running != nullptr && running->stack.ends_at(address) ? limits::thread_stack_bytes : 0;
}

void BlockRunner::report_shared_overrun(std::uintptr_t address) {
  if (runner_ == nullptr || !runner_->is_running()) return;
  if (const std::size_t bytes = runner_->shared_memory_.dynamic_bytes_for(address))
    runner_->report_small_dynamic_memory(bytes);
}

void BlockRunner::report_small_dynamic_memory(std::size_t used) const {
  const std::size_t asked = configuration_->dynamic_shared_bytes;
  const std::string uses = asked > 0 ? fmt::format("at least {} bytes of ", used) : "";
  const std::string place = place_of(*configuration_);
  fault(
      fmt::format("kernel {} uses {}dynamic shared memory, and its launch{} asks for {} bytes: they are the "
                  "third launch parameter, <<<grid, block, bytes>>>",
                  kernel_->name, uses, place.empty() ? "" : " at " + place, asked));
}

void BlockRunner::begin_grid(const BoundKernel& kernel, const Configuration& configuration,
                             const StartOrder& order) {
  kernel_ = &kernel;
  cooperates_ = kernel.mode == BlockMode::cooperative;
  start_order_ = order;
  configuration_ = &configuration;
  most_shared_bytes_ = most_shared_bytes(kernel.function);
  threads_ = configuration.block.x * configuration.block.y * configuration.block.z;
  gridDim = configuration.grid;
  blockDim = configuration.block;
}

void BlockRunner::run_block(uint3 block) {
  blockIdx = block;
  if (const auto checker = active_checker()) checker->begin_block(block);
  shared_memory_.begin_block(configuration_->dynamic_shared_bytes);
  call_block_hooks();
  shared_memory_.begin_threads(most_shared_bytes_);
  const std::uint64_t row = std::uint64_t{gridDim.y} * block.z + block.y;
  list_threads(start_order_, row * gridDim.x + block.x, threads_, listed_);
  if (kernel_->mode == BlockMode::independent) {
    run_independent_block();
  } else {
    run_cooperative_block();
  }
  if (const std::size_t bytes = shared_memory_.dynamic_bytes_written_beyond()) [[unlikely]]
    report_small_dynamic_memory(bytes);
}

void BlockRunner::run_independent_block() {
  if (listed_.empty()) return kernel_->run(kernel_->arguments, {uint3{0, 0, 0}, blockDim});
  for (const unsigned int number : listed_) {
    const uint3 thread = position_of(number);
    kernel_->run(kernel_->arguments, {thread, dim3(thread.x + 1, thread.y + 1, thread.z + 1)});
  }
}

// Switches to a fiber, or to the scheduler if `to` is null.
[[gnu::always_inline]] inline void BlockRunner::transfer(StackContext& from, Fiber* to) {
  current_ = to;
  left_ = &from;
  switch_stack(from, to != nullptr ? to->context : scheduler_);
}

void BlockRunner::run_cooperative_block() {
  next_thread_ = {0, 0, 0};
  started_ = 0;
  ended_ = 0;
  warps_.begin_block(threads_);
  sleepers_.begin_block();
  adopt_running_stack(scheduler_);
  transfer(scheduler_, &idle_fiber());
}

Fiber& BlockRunner::idle_fiber() {
  if (Fiber* fiber = idle_.pop()) return *fiber;
  fibers_.push_back(std::make_unique<Fiber>(static_cast<unsigned int>(fibers_.size()), &fiber_entry));
  Fiber& fiber = *fibers_.back();
  if (const auto checker = active_checker()) checker->allow(fiber.stack.bottom(), fiber.stack.bytes());
  return fiber;
}

void BlockRunner::fiber_entry() {
  BlockRunner& runner = of_this_thread();
  on_first_turn(*runner.left_);
  runner.serve();
}

// The main loop of a fiber: it runs threads of one block after another.
void BlockRunner::serve() {
  Fiber& self = *current_;
  for (;;) {
    while (started_ < threads_) {
      begin_thread(self);
      if (const auto checker = active_checker()) checker->begin_thread(self.number);
      kernel_->run(kernel_->arguments, {});
      end_thread();
    }
    retire_fiber();
  }
}

void BlockRunner::begin_listed_thread(Fiber& fiber) {
  fiber.number = listed_[started_++];
  threadIdx = position_of(fiber.number);
}

void BlockRunner::begin_thread(Fiber& fiber) {
  if (!listed_.empty()) return begin_listed_thread(fiber);
  fiber.number = started_++;
  // Each member is copied alone, because a copy of 8 bytes at once would have to wait for the 4 bytes that
  // the last call wrote.
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

// Continues with a thread that is ready, or one that has not begun. A switch waits only for the memory of the
// new stack. So the stack of the thread after that is prefetched.
[[gnu::always_inline]] inline void BlockRunner::park() {
  Fiber& self = *current_;
  self.thread = threadIdx;
  Fiber* next = ready_.pop();
  if (next == nullptr) next = other_than_ready();
  if (const Fiber* const after = ready_.first()) after->prefetch();
  if (next != &self) transfer(self.context, next);
  threadIdx = self.thread;
}

Fiber* BlockRunner::other_than_ready() {
  if (started_ < threads_) {
    Fiber& fiber = idle_fiber();
    if (const Fiber* const after = idle_.first()) after->prefetch();
    return &fiber;
  }
  Fiber* const next = converging_fiber();
  if (next == nullptr) report_deadlock();
  return next;
}

void BlockRunner::retire_fiber() {
  Fiber& self = *current_;
  Fiber* next = ready_.pop();
  if (next == nullptr) next = converging_fiber();
  if (next == nullptr && ended_ < threads_) report_deadlock();
  idle_.push(self);
  transfer(self.context, next);
}

BarrierResult BlockRunner::wait_at_barrier(int predicate) {
  require_cooperation("a barrier");
  ++barrier_arrived_;
  barrier_nonzero_ += predicate != 0 ? 1 : 0;
  // The last thread to arrive is queued too, so that threads continue in the order in which they began.
  at_barrier_.push(*current_);
  if (barrier_is_complete()) release_barrier();
  park();
  // The result is still that of this barrier, because the next barrier is not complete before this thread
  // arrives there too.
  return barrier_result_;
}

void BlockRunner::release_barrier() {
  barrier_result_ = {barrier_nonzero_, barrier_arrived_};
  barrier_arrived_ = 0;
  barrier_nonzero_ = 0;
  if (const auto checker = active_checker()) checker->block_barrier(ended_);
  ready_.take_all(at_barrier_);
}

// Releases the lanes that ask which lanes are converged. It is called when no other thread can continue, so
// all converged lanes have arrived.
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
  const Rendezvous rendezvous{operation, mask, site, operation == WarpOperation::converge};
  const auto [meeting, complete] = warps_.arrive(*current_, rendezvous, value, ready_);
  if (complete) ready_.push(*current_);
  park();
  return *meeting;
}

void BlockRunner::sleep_on(const void* key) {
  require_cooperation("a barrier");
  sleepers_.sleep(*current_, key);
  park();
}

void BlockRunner::refuse_to_wait(const char* what) const {
  if (kernel_ == nullptr) fault(fmt::format("{} outside of a kernel", what));
  fault(fmt::format("kernel {} reaches {} that its source does not show", kernel_->name, what));
}

void BlockRunner::report_deadlock() const {
  if (const auto checker = active_checker()) checker->deadlock(ended_);
  const unsigned int asleep = sleepers_.count();
  const std::string at_own_barriers =
      asleep > 0 ? fmt::format("{} threads wait at a barrier of a group, ", asleep) : "";
  fault(
      fmt::format("deadlock: {} threads wait at __syncthreads, {} lanes wait in a __*_sync warp operation, "
                  "{}{} threads have exited, in kernel {}, block ({},{},{})",
                  barrier_arrived_, warps_.waiting_lanes(), at_own_barriers, ended_, kernel_->name,
                  blockIdx.x, blockIdx.y, blockIdx.z));
}

}  // namespace kgrade_emulated
