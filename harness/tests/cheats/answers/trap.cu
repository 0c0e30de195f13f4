// cheat: a kernel that traps
// row: 64
// caught-by: completion (emulated), device_errors (cuda)
// device: any
// case: tiny
//
// Like illegal-address.cu, with an assertion, which kernels may use: a sticky error, and a message on the
// terminal.
#include <cassert>

#include "depthwise.cuh"

__global__ void fail() { assert(threadIdx.x == 1000); }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  fail<<<1, 1>>>();
}
