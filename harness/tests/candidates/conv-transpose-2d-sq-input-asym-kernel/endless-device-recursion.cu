// expect: runtime_error
//
// A function of the device calls itself for ever, in the threads of a block that wait for each other.
#include <cuda_runtime.h>

__device__ __noinline__ int depth(volatile float* output, int level) {
  volatile int frame[64];
  frame[level % 64] = level;
  if (output[0] == 0.123f) return level;
  return depth(output, level + 1) + frame[level % 64];
}

__global__ void descend(float* output) {
  __syncthreads();
  output[threadIdx.x] = depth(output, 0);
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  descend<<<1, 2>>>(output);
}
