// Each thread computes one output.
#include <cuda_runtime.h>

__global__ void conv(const float* signal, const float* kernel, float* out, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int tap = 0; tap < k; ++tap) {
    const int at = i + tap - k / 2;
    if (at >= 0 && at < n) sum += signal[at] * kernel[tap];
  }
  out[i] = sum;
}

extern "C" void solution(const float* A, const float* B, float* C, size_t N, size_t K) {
  conv<<<(unsigned)((N + 255) / 256), 256>>>(A, B, C, (int)N, (int)K);
}
