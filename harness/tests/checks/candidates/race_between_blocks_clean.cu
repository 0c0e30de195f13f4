// Like race_between_blocks_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, unsigned int* blocks, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0) atomicAdd(blocks, 1u);
  if (i < n) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  unsigned int* blocks;
  cudaMalloc(&blocks, sizeof *blocks);
  cudaMemset(blocks, 0, sizeof *blocks);
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, blocks, n);
  cudaFree(blocks);
}
