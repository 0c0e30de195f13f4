// Like host_pointer_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, const float* weights, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const float weight = weights[i % 2];
  out[i] = weight * in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  const float ones[2] = {1.0f, 1.0f};
  float* weights = nullptr;
  cudaMalloc(&weights, sizeof ones);
  cudaMemcpy(weights, ones, sizeof ones, cudaMemcpyHostToDevice);
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, weights, out, n);
  cudaFree(weights);
}
