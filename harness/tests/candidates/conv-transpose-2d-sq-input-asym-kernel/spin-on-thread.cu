// expect: time_limit
// time-limit: 1
// device: emulated
//
// One thread waits for another of its block without a barrier. A GPU runs both and it ends; nothing promises
// that.
#include <cuda_runtime.h>

__global__ void wait_for_neighbour(float* output) {
  __shared__ volatile int come;
  if (threadIdx.x == 0) come = 0;
  __syncthreads();
  if (threadIdx.x == 33) come = 1;
  while (come == 0) {
  }
  output[threadIdx.x] = 1;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  wait_for_neighbour<<<1, 64>>>(output);
}
