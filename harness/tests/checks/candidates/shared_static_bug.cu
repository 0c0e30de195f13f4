// The tile has one element for each thread, and the last thread writes past its end.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  __shared__ float tile[64];
  tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;  // finding: out_of_bounds
  __syncthreads();
  if (i < n) out[i] = in[i] + (threadIdx.x == 62 ? in[i ^ 1] : tile[(threadIdx.x ^ 1) + 1]);
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
