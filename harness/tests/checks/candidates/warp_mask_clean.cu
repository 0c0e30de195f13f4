// Like warp_mask_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  const float own = i < n ? in[i] : 0.0f;
  const float other = __shfl_xor_sync(0xffffffff, own, 1);
  if (i < n) out[i] = own + other;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
