// Right by luck if threads run one after another: each odd thread reads its left neighbour's value.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  __shared__ float tile[64];
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  if (i >= n || threadIdx.x % 2 == 0) return;
  const float sum = tile[threadIdx.x - 1] + tile[threadIdx.x];  // finding: race
  out[i - 1] = sum;
  out[i] = sum;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
