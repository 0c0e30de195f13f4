// How threads of a block wait for each other: at barriers of the whole block and of some of its threads; and
// memory fences.
#pragma once

#include <atomic>

namespace kgrade_emulated {

struct BarrierResult {
  unsigned int nonzero;       // threads that came with a predicate other than zero
  unsigned int participants;  // threads that came; those that had returned before do not count
};

// Waits until every thread of the block that has not returned has come here.
BarrierResult block_barrier(int predicate);

// Parks the calling thread until another thread of its block wakes this key. A woken thread must check its
// condition again.
void sleep_on(const void* key);
void wake(const void* key);

// Waits until `threads` threads of the block have come with this key.
void meet_in_block(const void* key, unsigned int threads);

// A barrier in shared memory, as large as CUDA's. Threads arrive and wait in two steps.
class alignas(8) PhaseBarrier {
 public:
  void init(unsigned int expected) {
    expected_ = pending_ = static_cast<unsigned short>(expected);
    phase_ = 0;
  }

  // Returns the phase that the caller arrives in. The last arrival ends the phase.
  unsigned int arrive(unsigned int count = 1) {
    const unsigned int phase = current();
    if (__atomic_sub_fetch(&pending_, static_cast<unsigned short>(count), __ATOMIC_ACQ_REL) == 0) {
      pending_ = expected_;
      __atomic_add_fetch(&phase_, 1, __ATOMIC_RELEASE);
      wake(this);
    }
    return phase;
  }
  // Later phases wait for one thread less.
  unsigned int arrive_and_drop() {
    --expected_;
    return arrive();
  }

  bool has_ended(unsigned int phase) const { return current() != phase; }
  bool parity_has_ended(unsigned int parity) const { return (current() & 1u) != (parity & 1u); }
  void wait(unsigned int phase) const {
    while (!has_ended(phase)) sleep_on(this);
  }
  void wait_parity(unsigned int parity) const {
    while (!parity_has_ended(parity)) sleep_on(this);
  }

 private:
  unsigned int current() const { return __atomic_load_n(&phase_, __ATOMIC_ACQUIRE); }

  unsigned short expected_;
  unsigned short pending_;
  unsigned int phase_;
};

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
