// A vector load of four floats that begins at the second float. All four are used: nvcc would load one float, which is
// aligned, if only that one were used.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float sum = in[i] + in[i ^ 1];
  if (i + 5 <= n && i % 4 == 0) {
    const float4 next = *reinterpret_cast<const float4*>(in + i + 1);  // finding: misaligned_access
    sum = in[i] + next.x + (next.y - in[i + 2]) + (next.z - in[i + 3]) + (next.w - in[i + 4]);
  }
  out[i] = sum;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
