// One thread computes one element.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* x, float* y, size_t m, size_t k) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0;
  for (size_t p = 0; p < k; ++p) sum += a[i * k + p] * x[p];
  y[i] = sum;
}

extern "C" void solution(const float* input_a, const float* input_b, float* output_c, size_t m, size_t k) {
  multiply<<<(unsigned)((m + 255) / 256), 256>>>(input_a, input_b, output_c, m, k);
}
