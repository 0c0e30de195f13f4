// Each thread computes one output.
#include <cuda_runtime.h>

__global__ void conv(const float* A, const float* B, float* C, int size, int K) {
  const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (size_t)size * size * size) return;
  const int x = (int)(at % size), y = (int)(at / size % size), z = (int)(at / size / size), r = K / 2;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    const int i = z + k - r;
    if (i < 0 || i >= size) continue;
    for (int l = 0; l < K; ++l) {
      const int j = y + l - r;
      if (j < 0 || j >= size) continue;
      for (int m = 0; m < K; ++m) {
        const int n = x + m - r;
        if (n >= 0 && n < size) sum += A[((size_t)i * size + j) * size + n] * B[(k * K + l) * K + m];
      }
    }
  }
  C[at] = sum;
}

extern "C" void solution(const float* A, const float* B, float* C, size_t size, size_t K) {
  const size_t count = size * size * size;
  conv<<<(unsigned)((count + 255) / 256), 256>>>(A, B, C, (int)size, (int)K);
}
