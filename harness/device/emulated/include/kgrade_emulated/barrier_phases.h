// A barrier that threads arrive at and wait for in two steps, as large as CUDA's. In shared memory.
#pragma once

#include "kgrade_emulated/sleep.h"

namespace kgrade_emulated {

class alignas(8) PhaseBarrier {
 public:
  void init(unsigned int expected) {
    expected_ = pending_ = static_cast<unsigned short>(expected);
    phase_ = 0;
  }

  // The phase that the caller has arrived in; the last one ends it.
  unsigned int arrive(unsigned int count = 1) {
    const unsigned int phase = current();
    if (__atomic_sub_fetch(&pending_, static_cast<unsigned short>(count), __ATOMIC_ACQ_REL) == 0) {
      pending_ = expected_;
      __atomic_add_fetch(&phase_, 1, __ATOMIC_RELEASE);
      wake(this);
    }
    return phase;
  }
  // Phases to come wait for one thread less.
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
