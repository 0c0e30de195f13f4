// expect: runtime_error
//
// A function of the host calls itself for ever.
#include <cuda_runtime.h>

__attribute__((noinline)) int depth(volatile int* end, int level) {
  volatile int frame[64];
  frame[level % 64] = level;
  if (*end == level) return level;
  return depth(end, level + 1) + frame[level % 64];
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  volatile int end = -1;
  depth(&end, 0);
}
