// cheat: finds the call's start time on the worker's stack and sets it to when the call ends
// row: 26
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: emulated
// control: clock_agreement
// case: tiny
//
// The C++ library is not touched. The caller's registers are saved on our own stack, where they can be
// changed as easily as its variables.
#include <pthread.h>

#include <chrono>

#include "contestant.cuh"

namespace {

// The end of this thread's stack.
uintptr_t end_of_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(lowest) + bytes;
}

__attribute__((noinline)) int move_start_times(long begin, long end) {
  int moved = 0;
  const uintptr_t last = end_of_stack();
  auto at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (; at + sizeof(long) <= last; at += sizeof(long)) {
    auto* const place = reinterpret_cast<volatile long*>(at);
    if (*place < begin || *place > end) continue;
    *place = end;
    ++moved;
  }
  return moved;
}

long now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

__attribute__((noinline)) void cheat::play(const Call& call) {
#ifdef KGRADE_EMULATED_BLOCK_MODE
  // Makes the compiler save all registers in which callers may keep variables.
  __builtin_unwind_init();
#endif
  constexpr long while_ago = 100'000'000;  // ns
  const long begin = now() - while_ago;
  waste_time();
  compute(call);
  // Not a tail call: registers would be restored before it.
  static volatile int moved;
  moved = move_start_times(begin, now());
}
