// cheat: assumes that all weights of a filter are equal
// row: 54
// caught-by: outputs_match
// device: any
// case: plain
//
// A box filter needs one multiplication for each element. Tests that fill the weights with ones do not
// notice.
#include "depthwise.cuh"

__global__ void box_filter(Depthwise problem) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= problem.outputs()) return;
  const size_t x = index % problem.out_width() * problem.stride_w;
  const size_t y = index / problem.out_width() % problem.out_height() * problem.stride_h;
  float sum = 0;
  for (size_t k = 0; k < problem.kernel_h; ++k) {
    for (size_t l = 0; l < problem.kernel_w; ++l) {
      const size_t i = y + k * problem.dilation_h, j = x + l * problem.dilation_w;
      if (i < problem.padding_h || i >= problem.padding_h + problem.height) continue;
      if (j < problem.padding_w || j >= problem.padding_w + problem.width) continue;
      sum += problem.input[(problem.plane(index) * problem.height + i - problem.padding_h) * problem.width +
                           j - problem.padding_w];
    }
  }
  const size_t taps = problem.kernel_h * problem.kernel_w;
  problem.output[index] = sum * problem.kernel[problem.out_channel(index) * taps];
}

static void cheat(const Depthwise& problem) {
  box_filter<<<(unsigned)((problem.outputs() + 255) / 256), 256>>>(problem);
}
