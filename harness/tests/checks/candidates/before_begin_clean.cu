// Like before_begin_bug.cu, without the bug.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 ? in[(long long)i - 1] : 0.0f;
  const float right = i + 1 < n ? in[i + 1] : 0.0f;
  out[i] = in[i] + (i % 2 == 0 ? right : left);
}

extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
