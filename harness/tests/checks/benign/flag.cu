// A block that finds a number above 2 sets a flag, which others read without order: they would set it too.
#include <cuda_runtime.h>

__device__ int flag;

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n && flag == 0 && in[i] > -1.0f) flag = 1;
  if (i < n) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  const int zero = 0;
  cudaMemcpyToSymbol(flag, &zero, sizeof zero);
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
