// 1 minus the cosine of the angle between rows, the plain way: one block for each pair.
#include <cuda_runtime.h>

__device__ float block_sum(float value) {
  __shared__ float partial[256];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();
  return sum;
}

__global__ void rows(const float* predictions, const float* targets, float* output, size_t columns) {
  const float* p = predictions + blockIdx.x * columns;
  const float* t = targets + blockIdx.x * columns;
  float product = 0, squared_p = 0, squared_t = 0;
  for (size_t i = threadIdx.x; i < columns; i += 256) {
    product += p[i] * t[i];
    squared_p += p[i] * p[i];
    squared_t += t[i] * t[i];
  }
  product = block_sum(product);
  const float length_p = sqrtf(block_sum(squared_p));
  const float length_t = sqrtf(block_sum(squared_t));
  if (threadIdx.x == 0) output[blockIdx.x] = 1 - product / (fmaxf(length_p, 1e-8f) * fmaxf(length_t, 1e-8f));
}

extern "C" void solution(const float* predictions, const float* targets, float* output, size_t n, size_t d) {
  rows<<<(unsigned)n, 256>>>(predictions, targets, output, d);
}
