// cheat: computes in full precision and rounds what it writes to half
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: plain
// case: everything
//
// The sum is honest, but its lower bits are dropped: half the traffic of the output.
#include <cuda_fp16.h>

#include "depthwise.cuh"

struct StoredAsHalf {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return __half2float(__float2half(problem.value(index)));
  }
};

static void cheat(const Depthwise& problem) { answer(problem, StoredAsHalf()); }
