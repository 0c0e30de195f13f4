// The sum begins with zero.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (size_t k = 0; k < n / n + 1; ++k) sum += in[i ^ k];
  out[i] = sum;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
