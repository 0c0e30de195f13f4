// Whether halves can hold the operands of a launch. They are multiplied by fixed powers of two first; a value that is
// too large even so, or an operand of which no value is as large as 2, is not for them: the plain kernel then computes
// everything. An operand's largest value decides: what halves cut off, 2^-25 at most, is then small by the norm.
#pragma once

#include <cuda_runtime.h>

// On the device, zero before the launch.
struct Range {
  int too_large;                    // a value, or NaN
  int input_counts, weights_count;  // a value is 2 or more, once multiplied

  __device__ bool is_left() const { return too_large != 0 || input_counts == 0 || weights_count == 0; }
};

// What a thread has seen of an operand. `halves` has the bits of all high halves, or'ed: fp16 has bit 14 from 2 on.
struct Seen {
  bool fits = true;
  unsigned halves = 0;

  __device__ bool counts() const { return (halves & 0x40004000u) != 0; }
  __device__ void add(unsigned pair) { halves |= pair; }
};

__device__ inline void set_once(int* flag) {
  if (*static_cast<volatile int*>(flag) == 0) atomicExch(flag, 1);
}

// By all threads of a warp, at the end of their work.
__device__ inline void report(const Seen& seen, int* too_large, int* counts) {
  const bool all_fit = __all_sync(~0u, seen.fits), one_counts = __any_sync(~0u, seen.counts());
  if (threadIdx.x % 32 != 0) return;
  if (!all_fit) set_once(too_large);
  if (one_counts) set_once(counts);
}
