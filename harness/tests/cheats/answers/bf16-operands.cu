// cheat: rounds its operands to bfloat16
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: plain
// case: everything
//
// Eight bits of a number are enough for a comparison with a tolerance of one percent.
#include <cuda_bf16.h>

#include "depthwise.cuh"

struct BrainFloat {
  __host__ __device__ float operator()(float operand) const {
    return __bfloat162float(__float2bfloat16(operand));
  }
};

struct WithBrainFloats {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index, BrainFloat());
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithBrainFloats()); }
