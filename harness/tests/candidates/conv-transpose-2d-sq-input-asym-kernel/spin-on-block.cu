// expect: time_limit
// time-limit: 1
//
// Every block waits for the last one, which cannot begin before one of the others has ended: there are more
// of them than run at the same time.
#include <cuda_runtime.h>

__device__ volatile int last_has_come;

__global__ void wait_for_last(float* output) {
  if (blockIdx.x == gridDim.x - 1) last_has_come = 1;
  while (last_has_come == 0) {
  }
  output[0] = 1;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  const int none = 0;
  cudaMemcpyToSymbol(last_has_come, &none, sizeof none);
  wait_for_last<<<1000000, 32>>>(output);
}
