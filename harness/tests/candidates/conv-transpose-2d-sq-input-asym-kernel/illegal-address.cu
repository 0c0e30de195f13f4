// expect: runtime_error
//
// The kernel writes to an address outside every allocation.
#include <cuda_runtime.h>

__global__ void write(float* nowhere) { *nowhere = 1; }

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  write<<<1, 1>>>(reinterpret_cast<float*>(0x1000));
}
