// Lanes of one warp pass values through shared memory without a barrier, as kernels did before Volta.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  __shared__ volatile float tile[64];
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  const unsigned int lane = threadIdx.x;
  tile[lane] = i < n ? in[i] : 0.0f;
  if (lane % 2 == 1) tile[lane] += tile[lane - 1];
  __syncthreads();
  if (i < n) out[i] = tile[lane | 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
