// One thread too many reads: the grid is larger than `in`.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i > n) return;
  const float own = in[i];  // finding: out_of_bounds
  if (i < n || own == 2.0f) out[i] = own + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<n / 64 + 1, 64>>>(in, out, n);
}
