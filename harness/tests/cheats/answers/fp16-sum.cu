// cheat: adds up in half precision
// row: 53
// caught-by: precision
// device: any
// control: precision_class
// case: everything
//
// The operands and the products are floats. Only the running sum is a half, as in kernels with 16-bit
// accumulators in registers.
#include <cuda_fp16.h>

#include "depthwise.cuh"

struct HalfSum {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    float sum = 0;
    for (size_t k = 0; k < problem.kernel_h; ++k) sum = add(sum, row_of_filter(problem, index, k));
    return sum;
  }

 private:
  __host__ __device__ static float add(float a, float b) { return __half2float(__float2half(a + b)); }

  __host__ __device__ static float row_of_filter(const Depthwise& problem, size_t index, size_t k) {
    const size_t y =
        index / problem.out_width() % problem.out_height() * problem.stride_h + k * problem.dilation_h;
    if (y < problem.padding_h || y >= problem.padding_h + problem.height) return 0;
    const float* const row =
        problem.input + (problem.plane(index) * problem.height + y - problem.padding_h) * problem.width;
    const float* const weights =
        problem.kernel + (problem.out_channel(index) * problem.kernel_h + k) * problem.kernel_w;
    float sum = 0;
    for (size_t l = 0; l < problem.kernel_w; ++l) {
      const size_t x = index % problem.out_width() * problem.stride_w + l * problem.dilation_w;
      if (x < problem.padding_w || x >= problem.padding_w + problem.width) continue;
      sum = add(sum, row[x - problem.padding_w] * weights[l]);
    }
    return sum;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, HalfSum()); }
