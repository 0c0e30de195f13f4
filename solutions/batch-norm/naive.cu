// Batch normalisation, the plain way: one block for each feature.
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

__global__ void batch_norm(const float* x, float* y, size_t samples, size_t features, size_t positions) {
  const size_t feature = blockIdx.x, count = samples * positions;
  float sum = 0;
  for (size_t b = 0; b < samples; ++b) {
    const float* plane = x + (b * features + feature) * positions;
    for (size_t i = threadIdx.x; i < positions; i += 256) sum += plane[i];
  }
  const float mean = block_sum(sum) / count;
  float squares = 0;
  for (size_t b = 0; b < samples; ++b) {
    const float* plane = x + (b * features + feature) * positions;
    for (size_t i = threadIdx.x; i < positions; i += 256) squares += (plane[i] - mean) * (plane[i] - mean);
  }
  const float scale = 1 / sqrtf(block_sum(squares) / count + 1e-5f);
  for (size_t b = 0; b < samples; ++b) {
    const size_t start = (b * features + feature) * positions;
    for (size_t i = threadIdx.x; i < positions; i += 256) y[start + i] = (x[start + i] - mean) * scale;
  }
}

extern "C" void solution(const float* X, float* Y, size_t B, size_t F, size_t D1, size_t D2) {
  batch_norm<<<(unsigned)F, 256>>>(X, Y, B, F, D1 * D2);
}
