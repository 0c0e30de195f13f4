// The sum of two vectors, the plain way: each thread computes one element.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* sum, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

extern "C" void solution(const float* d_input1, const float* d_input2, float* d_output, size_t n) {
  add<<<(unsigned)((n + 255) / 256), 256>>>(d_input1, d_input2, d_output, n);
}
