// expect: memory_limit
// device: emulated
//
// On a GPU it would take the memory that others use at the time.
// Takes device memory until there is none, and keeps it.
#include <cuda_runtime.h>

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  const size_t piece = (size_t)1 << 28;
  void* memory = nullptr;
  while (cudaMalloc(&memory, piece) == cudaSuccess) {
  }
}
