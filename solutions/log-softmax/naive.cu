// Log-Softmax, the plain way: one block for each row.
#include <cuda_runtime.h>

constexpr unsigned threads = 256;

__device__ float reduced(float value, bool largest) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = partial[threadIdx.x + half];
      partial[threadIdx.x] = largest ? fmaxf(partial[threadIdx.x], other) : partial[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();
  return result;
}

__global__ void rows(const float* input, float* output, size_t columns) {
  const float* x = input + blockIdx.x * columns;
  float largest = x[0];
  for (size_t i = threadIdx.x; i < columns; i += threads) largest = fmaxf(largest, x[i]);
  largest = reduced(largest, true);
  float sum = 0;
  for (size_t i = threadIdx.x; i < columns; i += threads) sum += expf(x[i] - largest);
  sum = reduced(sum, false);
  for (size_t i = threadIdx.x; i < columns; i += threads)
    output[blockIdx.x * columns + i] = x[i] - largest - logf(sum);
}

extern "C" void solution(const float* input, float* output, size_t M, size_t N) {
  rows<<<(unsigned)M, threads>>>(input, output, N);
}
