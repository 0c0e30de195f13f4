// expect: time_limit
// time-limit: 1
//
// The function itself never ends, without any work on the device.
#include <cuda_runtime.h>

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  volatile bool going = true;
  while (going) {
  }
}
