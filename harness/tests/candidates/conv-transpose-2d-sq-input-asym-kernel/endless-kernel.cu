// expect: time_limit
// time-limit: 1
//
// The kernel never ends.
#include <cuda_runtime.h>

__global__ void spin(volatile float* output) {
  volatile bool going = true;
  while (going) output[0] = output[0] + 1;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  spin<<<1, 1>>>(output);
}
