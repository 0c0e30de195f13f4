// L2 Normalization, the plain way: one block for each row.
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

__global__ void rows(const float* x, float* y, size_t columns) {
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float sum = 0;
  for (size_t i = threadIdx.x; i < columns; i += 256) sum += x[i] * x[i];
  sum = block_sum(sum);
  const float divisor = sqrtf(sum) + 1e-10f;
  for (size_t i = threadIdx.x; i < columns; i += 256) y[i] = x[i] / divisor;
}

extern "C" void solution(const float* X, float* Y, size_t B, size_t D) {
  rows<<<(unsigned)B, 256>>>(X, Y, D);
}
