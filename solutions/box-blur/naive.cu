// Each thread computes one pixel.
#include <cuda_runtime.h>

__global__ void blur(const float* in, float* out, int reach, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int top = max(y - reach, 0), bottom = min(y + reach, height - 1);
  const int left = max(x - reach, 0), right = min(x + reach, width - 1);
  float sum = 0;
  for (int i = top; i <= bottom; ++i)
    for (int j = left; j <= right; ++j) sum += in[(size_t)i * width + j];
  out[(size_t)y * width + x] = sum / ((bottom - top + 1) * (right - left + 1));
}

extern "C" void solution(const float* input_image, int kernel_size, float* output_image, size_t height, size_t width) {
  const dim3 threads(32, 8);
  const dim3 blocks((unsigned)((width + 31) / 32), (unsigned)((height + 7) / 8));
  blur<<<blocks, threads>>>(input_image, output_image, kernel_size / 2, (int)height, (int)width);
}
