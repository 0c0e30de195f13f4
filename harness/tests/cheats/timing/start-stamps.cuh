// The worker takes a time stamp before a call and another after it. During the call, the first is on its
// stack, or in a register that the call must preserve.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <time.h>

inline long long now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Replaces every stamp of the last `age_ns` that is above this frame, or that this frame must restore.
__attribute__((noinline)) inline void replace_stamps(long long age_ns, long long stamp) {
  __builtin_unwind_init();            // all registers of that kind are saved, below the frame's address
  constexpr ptrdiff_t registers = 5;  // of them, on x86-64
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  ::pthread_getattr_np(::pthread_self(), &attributes);
  ::pthread_attr_getstack(&attributes, &low, &bytes);
  ::pthread_attr_destroy(&attributes);
  const long long now = now_ns();
  long long* const top = (long long*)((char*)low + bytes);
  for (volatile long long* at = (long long*)__builtin_frame_address(0) - registers; at < top; ++at) {
    if (*at > now - age_ns && *at <= now) *at = stamp;
  }
}
