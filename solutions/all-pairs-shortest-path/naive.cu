// Floyd and Warshall, a launch for each node in between.
#include <cuda_runtime.h>

__global__ void start(const float* edges, float* d, int n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)n * n) return;
  d[i] = i / n == i % n ? 0.0f : edges[i] > 0 ? edges[i] : INFINITY;
}

__global__ void step(float* d, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  const float through = d[(size_t)i * n + k] + d[(size_t)k * n + j];
  if (through < d[(size_t)i * n + j]) d[(size_t)i * n + j] = through;
}

__global__ void finish(float* d, size_t count) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && isinf(d[i])) d[i] = -1.0f;
}

extern "C" void solution(const float* adj_matrix, float* output, size_t n) {
  const unsigned all = (unsigned)((n * n + 255) / 256);
  start<<<all, 256>>>(adj_matrix, output, (int)n);
  for (size_t k = 0; k < n; ++k) step<<<dim3((unsigned)((n + 255) / 256), (unsigned)n), 256>>>(output, (int)n, (int)k);
  finish<<<all, 256>>>(output, n * n);
}
