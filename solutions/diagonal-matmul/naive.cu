// One thread computes one element.
#include <cuda_runtime.h>

__global__ void multiply(const float* diagonal, const float* b, float* c, size_t n, size_t m) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < n * m) c[index] = diagonal[index / m] * b[index];
}

extern "C" void solution(const float* diagonal_a, const float* input_b, float* output_c, size_t n, size_t m) {
  multiply<<<(unsigned)((n * m + 255) / 256), 256>>>(diagonal_a, input_b, output_c, n, m);
}
