// Each thread computes one output.
#include <cuda_runtime.h>

__global__ void conv(const float* image, const float* kernel, float* out, int H, int W, int Kh, int Kw) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H) return;
  float sum = 0;
  for (int k = 0; k < Kh; ++k) {
    const int i = y + k - Kh / 2;
    if (i < 0 || i >= H) continue;
    for (int l = 0; l < Kw; ++l) {
      const int j = x + l - Kw / 2;
      if (j >= 0 && j < W) sum += image[(size_t)i * W + j] * kernel[k * Kw + l];
    }
  }
  out[(size_t)y * W + x] = sum;
}

extern "C" void solution(const float* A, const float* B, float* C, size_t H, size_t W, size_t Kh, size_t Kw) {
  const dim3 threads(32, 8);
  const dim3 blocks((unsigned)((W + 31) / 32), (unsigned)((H + 7) / 8));
  conv<<<blocks, threads>>>(A, B, C, (int)H, (int)W, (int)Kh, (int)Kw);
}
