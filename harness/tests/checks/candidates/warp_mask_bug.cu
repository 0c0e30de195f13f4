// The mask names half of the lanes that take part.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  const float own = i < n ? in[i] : 0.0f;
  const float other = __shfl_xor_sync(0x0000ffff, own, 1);  // finding: warp_mask (gpu: any)
  if (i < n) out[i] = own + other;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
