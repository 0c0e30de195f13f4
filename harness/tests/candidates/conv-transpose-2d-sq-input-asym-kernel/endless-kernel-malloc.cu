// expect: memory_limit
// device: emulated
//
// A kernel takes memory until there is none. On a GPU its heap is another, of 8 MiB, and the answer is wrong.
#include <cuda_runtime.h>

__global__ void take(float* output) {
  while (void* memory = malloc((size_t)1 << 22)) *static_cast<volatile float*>(memory) = output[0];
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  take<<<2, 64>>>(output);
}
