// expect: memory_limit
// device: emulated
//
// Takes memory of the host in C's way, and never looks at what it gets.
#include <cuda_runtime.h>

#include <cstdlib>

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  for (;;) {
    volatile char* memory = static_cast<char*>(std::malloc((size_t)1 << 24));
    memory[0] = 1;
  }
}
