// Loads and stores with a cache hint, which the host ignores, and functions that stop a thread or read the
// clock.
#pragma once

#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kgrade_emulated/bits.h"

namespace kgrade_emulated {

// Makes the kernel fail.
[[noreturn]] void trap();
// Whether an address lies in the shared memory of the current block.
bool is_shared(const void* address);

}  // namespace kgrade_emulated

#define KGRADE_LOAD(name)    \
  template <class T>         \
  T name(const T* address) { \
    return *address;         \
  }
KGRADE_LOAD(__ldg)
KGRADE_LOAD(__ldca)
KGRADE_LOAD(__ldcg)
KGRADE_LOAD(__ldcs)
KGRADE_LOAD(__ldlu)
KGRADE_LOAD(__ldcv)
#undef KGRADE_LOAD

#define KGRADE_STORE(name)                                                  \
  template <class T>                                                        \
  void name(T* address, const kgrade_emulated::type_identity_t<T>& value) { \
    *address = value;                                                       \
  }
KGRADE_STORE(__stwb)
KGRADE_STORE(__stcg)
KGRADE_STORE(__stcs)
KGRADE_STORE(__stwt)
#undef KGRADE_STORE

[[noreturn]] inline void __trap() { kgrade_emulated::trap(); }
inline void __brkpt() {}
inline void __prof_trigger(int) {}
inline void __nanosleep(unsigned int) {}
inline unsigned int __isShared(const void* address) { return kgrade_emulated::is_shared(address); }

// Nanoseconds: a clock of 1 GHz. It says nothing about a GPU. clock() is the C library's, which counts
// microseconds of processor time and never goes back either.
inline long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
inline unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }

// Hints to nvcc's optimiser that the host's compilers do not know.
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
