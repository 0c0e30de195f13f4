// Every call allocates memory and never frees it.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, const float* copy, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i] + copy[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  float* copy;
  cudaMalloc(&copy, n * sizeof(float));  // finding: leak
  cudaMemcpy(copy, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, copy, out, n);
}
