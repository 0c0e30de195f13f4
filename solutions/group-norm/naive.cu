// Group normalisation, the plain way: one block for each group of a sample.
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

__global__ void group_norm(const float* x, const float* gamma, const float* beta, float* y, size_t features,
                           size_t positions, size_t groups) {
  const size_t count = features / groups * positions;
  const size_t first_feature = blockIdx.x % groups * (features / groups);
  x += blockIdx.x * count;
  y += blockIdx.x * count;
  float sum = 0;
  for (size_t i = threadIdx.x; i < count; i += 256) sum += x[i];
  const float mean = block_sum(sum) / count;
  float squares = 0;
  for (size_t i = threadIdx.x; i < count; i += 256) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = 1 / sqrtf(block_sum(squares) / count + 1e-5f);
  for (size_t i = threadIdx.x; i < count; i += 256) {
    const size_t feature = first_feature + i / positions;
    y[i] = (x[i] - mean) * scale * gamma[feature] + beta[feature];
  }
}

extern "C" void solution(const float* X, const float* gamma, const float* beta, float* Y, size_t B, size_t F,
                         size_t D1, size_t D2, size_t num_groups) {
  group_norm<<<(unsigned)(B * num_groups), 256>>>(X, gamma, beta, Y, F, D1 * D2, num_groups);
}
