// One thread computes one row's sum; the last kernel adds them up in pairs.
#include <cuda_runtime.h>

__global__ void row_sums(const float* a, const float* b, float* sums, size_t m, size_t n, size_t k) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0;
  for (size_t j = 0; j < n; ++j) {
    float z = 0;
    for (size_t p = 0; p < k; ++p) z += a[i * k + p] * b[p * n + j];
    sum += 1 / (1 + expf(-z));
  }
  sums[i] = sum;
}

__global__ void add_up(const float* sums, float* output, size_t count) {
  __shared__ float partial[256];
  float sum = 0;
  for (size_t i = threadIdx.x; i < count; i += 256) sum += sums[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) output[0] = partial[0];
}

extern "C" void solution(const float* A, const float* B, float* output, size_t M, size_t N, size_t K) {
  float* sums = nullptr;
  cudaMalloc(&sums, M * sizeof(float));
  row_sums<<<(unsigned)((M + 63) / 64), 64>>>(A, B, sums, M, N, K);
  add_up<<<1, 256>>>(sums, output, M);
  cudaFree(sums);
}
