// Fibers: stacks that take turns on one host thread. A fiber runs threads of a block that may have to wait,
// and can be in a queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kgrade_emulated/block.h"

namespace kgrade_emulated {

// The place where a suspended stack continues. The code that switches owns it.
struct StackContext {
  void* stack_pointer = nullptr;
  // The next members are only for AddressSanitizer and ThreadSanitizer.
  void* fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* sanitizer_fiber = nullptr;
};

// Makes a context that calls `entry` on its first turn. `entry` must never return, and must call
// on_first_turn() at once. `stack_bottom` is the lowest address.
void prepare_context(StackContext& context, void* stack_bottom, std::size_t stack_bytes, void (*entry)());
void release_context(StackContext& context);

// Notes the data that the sanitizers need about the running stack. Call it on a host thread's own stack
// before the first switch away from it.
void adopt_running_stack(StackContext& context);

// Suspends the running stack in `from` and continues with `to`. Returns when a later switch goes to `from`.
void switch_stack(StackContext& from, StackContext& to);

// Call this first on a new stack. `from` is the context of the stack that was left.
void on_first_turn(StackContext& from);

// A mapping with inaccessible pages below it, so that a stack overflow faults.
class GuardedStack {
 public:
  // `colour` shifts the start of the stack, since stacks at equal offsets would compete for the same cache
  // sets.
  explicit GuardedStack(unsigned int colour);
  ~GuardedStack();
  GuardedStack(const GuardedStack&) = delete;
  GuardedStack& operator=(const GuardedStack&) = delete;

  void* bottom() const { return bottom_; }
  std::size_t bytes() const { return bytes_; }
  // Whether only an overflow of this stack can access the address.
  bool ends_at(std::uintptr_t address) const;

 private:
  void* mapping_ = nullptr;
  void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
};

// All members that a switch needs lie in one cache line.
struct alignas(64) Fiber {
  Fiber(unsigned int number, void (*entry)());
  ~Fiber() { release_context(context); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prefetches the stack of a suspended fiber into the cache.
  void prefetch() const {
    const char* const top = static_cast<const char*>(context.stack_pointer);
    __builtin_prefetch(top);
    __builtin_prefetch(top + 64);
    __builtin_prefetch(top + 128);
  }

  StackContext context;
  Fiber* next = nullptr;  // in a queue
  uint3 thread{0, 0, 0};
  unsigned int number = 0;  // of the thread in its block, x fastest
  GuardedStack stack;
};

// A queue of fibers: first in, first out. The links are in the fibers themselves, so a fiber is in at most
// one queue.
class FiberQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  Fiber* first() const { return first_; }

  void push(Fiber& fiber) {
    fiber.next = nullptr;
    if (first_ == nullptr) {
      first_ = &fiber;
    } else {
      last_->next = &fiber;
    }
    last_ = &fiber;
  }

  // Null when there is none.
  Fiber* pop() {
    Fiber* const fiber = first_;
    if (fiber != nullptr) first_ = fiber->next;
    return fiber;
  }

  void take_all(FiberQueue& other) {
    if (other.first_ == nullptr) return;
    if (first_ == nullptr) {
      first_ = other.first_;
    } else {
      last_->next = other.first_;
    }
    last_ = other.last_;
    other.first_ = nullptr;
  }

 private:
  Fiber* first_ = nullptr;
  Fiber* last_ = nullptr;
};

}  // namespace kgrade_emulated
