// Hinge Loss, the plain way: each thread computes one element.
#include <cuda_runtime.h>

__global__ void loss(const float* predictions, const float* targets, float* output, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  output[i] = fmaxf(0, 1 - predictions[i] * targets[i]);
}

extern "C" void solution(const float* predictions, const float* targets, float* output, size_t n) {
  loss<<<(unsigned)((n + 255) / 256), 256>>>(predictions, targets, output, n);
}
