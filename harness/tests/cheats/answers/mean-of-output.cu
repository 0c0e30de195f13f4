// cheat: answers with the mean of the expected output
// row: 51
// caught-by: outputs_match
// device: any
// case: plain
//
// Inputs are uniform from 0 to 1, so every output of a filter is around half the sum of its weights. One pass
// over the weights is enough, and the input is never read.
#include "depthwise.cuh"

struct MeanOfInput {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    const size_t taps = problem.kernel_h * problem.kernel_w;
    float sum = 0;
    for (size_t tap = 0; tap < taps; ++tap) sum += problem.kernel[problem.out_channel(index) * taps + tap];
    return 0.5f * sum;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, MeanOfInput()); }
