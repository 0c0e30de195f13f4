// Two threads add to one sum.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  __shared__ float sums[32];
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x < 32) sums[threadIdx.x] = 0.0f;
  __syncthreads();
  if (i < n) atomicAdd(&sums[threadIdx.x / 2], in[i]);
  __syncthreads();
  if (i < n) out[i] = sums[threadIdx.x / 2];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
