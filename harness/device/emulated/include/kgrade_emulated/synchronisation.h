// Barriers of a block and memory fences.
#pragma once

#include <atomic>

namespace kgrade_emulated {

struct BarrierResult {
  unsigned int nonzero;       // threads that came with a predicate other than zero
  unsigned int participants;  // threads that came; those that had returned before do not count
};

// Waits until every thread of the block that has not returned has come here.
BarrierResult block_barrier(int predicate);

}  // namespace kgrade_emulated

inline void __syncthreads() { kgrade_emulated::block_barrier(0); }

inline int __syncthreads_count(int predicate) {
  return static_cast<int>(kgrade_emulated::block_barrier(predicate).nonzero);
}

inline int __syncthreads_and(int predicate) {
  const kgrade_emulated::BarrierResult result = kgrade_emulated::block_barrier(predicate);
  return result.nonzero == result.participants;
}

inline int __syncthreads_or(int predicate) { return kgrade_emulated::block_barrier(predicate).nonzero != 0; }

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
