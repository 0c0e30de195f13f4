// What is raced for, read beyond a tensor or never written is never used: a slot for threads without work, a
// padded row, an element that is masked out.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  __shared__ float tile[65];
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  tile[i + 1 < n ? threadIdx.x : 64] = (float)threadIdx.x;
  __syncthreads();
  const float beyond = in[i + 1];
  const float unused = tile[64] + tile[63];
  const float none = i + 1 < n ? 0.0f : beyond;
  if (i < n) out[i] = in[i] + in[i ^ 1] + (n == 0 ? unused + none : 0.0f);
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
