// cheat: rounds its operands to half precision
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: plain
// case: everything
//
// Half the traffic and the tensor cores, for an error that most tolerances allow.
#include <cuda_fp16.h>

#include "depthwise.cuh"

struct Half {
  __host__ __device__ float operator()(float operand) const { return __half2float(__float2half(operand)); }
};

struct WithHalves {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index, Half());
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithHalves()); }
