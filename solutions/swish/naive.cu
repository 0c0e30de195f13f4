// Swish, the plain way: each thread computes one element.
#include <cuda_runtime.h>

__global__ void swish_kernel(const float* input, float* output, size_t count) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = input[i];
  output[i] = x / (1 + expf(-x));
}

extern "C" void solution(const float* input, float* output, size_t n, size_t m) {
  const size_t count = n * m;
  swish_kernel<<<(unsigned)((count + 255) / 256), 256>>>(input, output, count);
}
