// One thread of a block while it may have to wait: a stack of its own and its place in a queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulated/runtime/fiber_switch.h"
#include "kgrade_emulated/block.h"

namespace kgrade_emulated {

// A mapping with inaccessible pages below it, so that running off the stack faults.
class GuardedStack {
 public:
  // `colour` shifts the start, since stacks at equal offsets would compete for the same cache sets.
  explicit GuardedStack(unsigned int colour);
  ~GuardedStack();
  GuardedStack(const GuardedStack&) = delete;
  GuardedStack& operator=(const GuardedStack&) = delete;

  void* bottom() const { return bottom_; }
  std::size_t bytes() const { return bytes_; }
  // Whether the address is one that only an overflow of this stack touches.
  bool ends_at(std::uintptr_t address) const;

 private:
  void* mapping_ = nullptr;
  void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
};

// All that a switch needs lies in one cache line.
struct alignas(64) Fiber {
  Fiber(unsigned int number, void (*entry)());
  ~Fiber() { release_context(context); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Has the stack of a fiber that does not run brought into the cache.
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

// First in, first out. Links the fibers themselves: a fiber is in at most one queue.
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
