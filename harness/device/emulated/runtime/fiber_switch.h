// Stacks that take turns on one host thread.
#pragma once

#include <cstddef>

namespace kgrade_emulated {

// Where a suspended stack goes on. Owned by the code that switches.
struct StackContext {
  void* stack_pointer = nullptr;
  // For AddressSanitizer and ThreadSanitizer, which have to be told; unused without them.
  void* fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* sanitizer_fiber = nullptr;
};

// Makes a context that calls `entry` on its first turn. `entry` must never return, and must call
// on_first_turn() at once. `stack_bottom` is the lowest address.
void prepare_context(StackContext& context, void* stack_bottom, std::size_t stack_bytes, void (*entry)());
void release_context(StackContext& context);

// Notes what the sanitizers need to know of the stack that runs now. Call it on a host thread's own stack
// before the first switch away from it.
void adopt_running_stack(StackContext& context);

// Suspends the running stack in `from` and goes on with `to`. Returns when something switches to `from`.
void switch_stack(StackContext& from, StackContext& to);

// The first thing on a new stack; `from` is what was switched away from.
void on_first_turn(StackContext& from);

}  // namespace kgrade_emulated
