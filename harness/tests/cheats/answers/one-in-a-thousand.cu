// cheat: leaves out one element in a thousand
// row: 58
// caught-by: outputs_match
// device: any
// case: plain
//
// If a known share of the elements may be wrong, that share can be left out. It is small here, and spread
// evenly.
#include "depthwise.cuh"

struct AlmostAll {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return index % 1000 == 999 ? 0 : problem.value(index);
  }
};

static void cheat(const Depthwise& problem) { answer(problem, AlmostAll()); }
