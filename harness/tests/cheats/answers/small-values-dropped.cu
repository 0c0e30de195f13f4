// cheat: writes zero where the right value is small
// row: 58
// caught-by: outputs_match
// device: any
// case: plain
//
// These elements add little to a norm of the error: a quarter of the elements have a twentieth of the sum of
// squares.
#include "depthwise.cuh"

struct LargeOnes {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    const float value = problem.value(index);
    return value < 0.15f && value > -0.15f ? 0 : value;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, LargeOnes()); }
