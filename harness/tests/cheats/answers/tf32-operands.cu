// cheat: rounds its operands to TF32, as tensor cores do with floats
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: plain
// case: everything
//
// The inputs are floats, the outputs are floats, and the products have ten bits.
#include <cstring>

#include "depthwise.cuh"

struct TensorFloat {
  __host__ __device__ float operator()(float operand) const {
    unsigned bits;
    memcpy(&bits, &operand, sizeof bits);
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&operand, &bits, sizeof bits);
    return operand;
  }
};

struct WithTensorFloats {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index, TensorFloat());
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithTensorFloats()); }
