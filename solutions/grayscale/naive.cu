// Each thread computes one pixel.
#include <cuda_runtime.h>

__global__ void luma(const float* rgb, float* gray, size_t pixels) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) gray[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}

extern "C" void solution(const float* rgb_image, float* grayscale_output, size_t height, size_t width, size_t channels) {
  const size_t pixels = height * width;
  luma<<<(unsigned)((pixels + 255) / 256), 256>>>(rgb_image, grayscale_output, pixels);
}
