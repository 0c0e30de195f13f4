// cheat: destroys its context after it has answered
// row: 64
// caught-by: completion (emulated), device_errors (cuda)
// device: any
// case: tiny
//
// A fault in a kernel ends all work of a context: a grader that shares one with its candidates cannot
// continue.
#include "depthwise.cuh"

__global__ void fault(unsigned long long address) { *(volatile float*)address = 1; }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  fault<<<1, 1>>>(64);
}
