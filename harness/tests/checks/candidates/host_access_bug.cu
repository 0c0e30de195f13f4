// Host code reads device memory.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n, float first) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = (i == 0 ? first : in[i]) + (i == 1 ? first : in[i ^ 1]);
}

extern "C" void solution(const float* in, float* out, size_t n) {
  const float first = in[0];  // finding: host_access (gpu: runtime_error)
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n, first);
}
