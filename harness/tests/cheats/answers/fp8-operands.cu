// cheat: rounds its operands to eight bits
// row: 53
// caught-by: outputs_match
// device: any
// case: plain
//
// Worse than all classes of precision: an error of several percent is a wrong answer.
#include <cuda_fp8.h>

#include "depthwise.cuh"

struct EightBits {
  __host__ __device__ float operator()(float operand) const { return (float)__nv_fp8_e4m3(operand); }
};

struct WithEightBits {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index, EightBits());
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithEightBits()); }
