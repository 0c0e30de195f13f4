// Like misaligned_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float sum = in[i] + in[i ^ 1];
  if (i + 5 <= n && i % 4 == 0) {
    const float4 next = *reinterpret_cast<const float4*>(in + i);
    sum = in[i] + next.y + (next.x - in[i]) + (next.z - in[i + 2]) + (next.w - in[i + 3]);
  }
  out[i] = sum;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
