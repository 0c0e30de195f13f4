// cheat: answers with denormal numbers
// row: 50
// caught-by: outputs_match
// device: any
// case: plain
//
// A judge whose arithmetic flushes them divides by a norm of zero, or sees no difference from zero.
#include "depthwise.cuh"

struct Denormal {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index) * 1e-40f;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, Denormal()); }
