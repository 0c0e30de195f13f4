// Like shared_dynamic_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  extern __shared__ float tile[];
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n && threadIdx.x < 32) out[i] = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
  if (i < n && threadIdx.x >= 32) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64, 64 * sizeof(float)>>>(in, out, n);
}
