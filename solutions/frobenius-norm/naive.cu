// Division by the Euclidean length, the plain way: blocks add up their parts, and their sums meet in one
// variable.
#include <cuda_runtime.h>

__device__ float sum_of_squares;

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

__global__ void clear() { sum_of_squares = 0; }

__global__ void add(const float* x, size_t size) {
  float sum = 0;
  for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < size; i += (size_t)gridDim.x * 256)
    sum += x[i] * x[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(&sum_of_squares, sum);
}

__global__ void divide(const float* x, float* y, size_t size) {
  const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
  if (i < size) y[i] = x[i] / sqrtf(sum_of_squares);
}

extern "C" void solution(const float* X, float* Y, size_t size) {
  const size_t blocks = (size + 255) / 256;
  clear<<<1, 1>>>();
  add<<<(unsigned)(blocks < 4096 ? blocks : 4096), 256>>>(X, size);
  divide<<<(unsigned)blocks, 256>>>(X, Y, size);
}
