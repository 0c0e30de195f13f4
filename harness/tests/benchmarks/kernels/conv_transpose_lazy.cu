// The same kernel in a file that contains a barrier: its threads run on a fiber, although none of them ever
// waits.
#include "conv_transpose.cuh"

__global__ void never_run(float* out) {
  __syncthreads();
  out[threadIdx.x] = 0;
}

extern "C" void conv_transpose(const float* input, const float* kernel, float* output, ConvTranspose p) {
  if (p.height == 0) never_run<<<1, 1>>>(output);
  launch_conv_transpose(input, kernel, output, p);
}
