// Like global_write_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  const float sum = i < n ? in[i] + in[i ^ 1] : 0.0f;
  if (i < n) out[i] = sum;
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<n / 64 + 1, 64>>>(in, out, n);
}
