// cheat: stores its inputs as twelve bits of fixed point, since they lie between 0 and 1
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: plain
// case: everything
//
// The distribution of the inputs is public: numbers without sign and exponent fit in fewer bits. Weights stay
// as they are. The assumption about the inputs holds, but precision is lost all the same.
#include "depthwise.cuh"

struct TwelveBits {
  __host__ __device__ float operator()(float operand) const {
    if (operand < 0 || operand >= 1) return operand;
    return (float)(int)(operand * 4096.0f + 0.5f) / 4096.0f;
  }
};

struct WithTwelveBits {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index, TwelveBits());
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithTwelveBits()); }
