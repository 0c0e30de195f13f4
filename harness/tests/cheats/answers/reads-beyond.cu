// cheat: reads the padding above the first and below the last row from outside its input
// row: 48
// caught-by: outputs_match
// device: any
// case: padding-2x1
//
// Memory around a separate allocation is usually zero, so a kernel can skip the check whether a row exists if
// it is the first or the last of all. Inner rows are checked, or the next plane would be read.
#include "depthwise.cuh"

struct Careless {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    const size_t x = index % problem.out_width();
    const size_t y = index / problem.out_width() % problem.out_height();
    const size_t planes = problem.batch_size * problem.in_channels;
    const size_t plane = problem.plane(index);
    float sum = 0;
    for (size_t k = 0; k < problem.kernel_h; ++k) {
      for (size_t l = 0; l < problem.kernel_w; ++l) {
        const long i = (long)(y * problem.stride_h + k * problem.dilation_h) - (long)problem.padding_h;
        const long j = (long)(x * problem.stride_w + l * problem.dilation_w) - (long)problem.padding_w;
        const bool above = i < 0, below = i >= (long)problem.height;
        if ((above && plane > 0) || (below && plane + 1 < planes)) continue;
        if (j < 0 || j >= (long)problem.width) continue;
        sum += problem.input[((long)(plane * problem.height) + i) * (long)problem.width + j] *
               problem.kernel[(problem.out_channel(index) * problem.kernel_h + k) * problem.kernel_w + l];
      }
    }
    return sum;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, Careless()); }
