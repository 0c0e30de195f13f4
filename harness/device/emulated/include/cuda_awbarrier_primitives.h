// Primitive functions for barriers in shared memory (Programming Guide, "Memory Barrier Primitives
// Interface").
#pragma once

#include <cstdint>

#include "kgrade_emulated/synchronisation.h"

typedef std::uint64_t __mbarrier_t;
typedef std::uint64_t __mbarrier_token_t;

namespace kgrade_emulated {
inline PhaseBarrier& phases_of(__mbarrier_t* barrier) {
  static_assert(sizeof(PhaseBarrier) == sizeof(__mbarrier_t));
  return *reinterpret_cast<PhaseBarrier*>(barrier);
}
}  // namespace kgrade_emulated

inline std::uint32_t __mbarrier_maximum_count() { return (1u << 16) - 1; }
inline void __mbarrier_init(__mbarrier_t* barrier, std::uint32_t expected) {
  kgrade_emulated::phases_of(barrier).init(expected);
}
inline void __mbarrier_inval(__mbarrier_t*) {}
inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return kgrade_emulated::phases_of(barrier).arrive();
}
inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return kgrade_emulated::phases_of(barrier).arrive_and_drop();
}
// Sleeps instead of returning false: a loop around the test would keep the other threads from arriving.
inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  kgrade_emulated::phases_of(barrier).wait(static_cast<unsigned int>(token));
  return true;
}
inline bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, std::uint32_t) {
  return __mbarrier_test_wait(barrier, token);
}
