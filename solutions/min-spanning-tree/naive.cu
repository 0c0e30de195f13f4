// Prim in one block: the nearest node joins the tree, and brings its edges.
#include <cuda_runtime.h>

__global__ void prim(const float* A, float* total, float* near, int n) {
  __shared__ float best[256];
  __shared__ int who[256];
  for (int i = threadIdx.x; i < n; i += 256) near[i] = i == 0 ? -1.0f : A[i] > 0 ? A[i] : 3e38f;  // -1: in the tree
  float sum = 0;
  for (int step = 1; step < n; ++step) {
    __syncthreads();
    float least = 3e38f;
    int node = -1;
    for (int i = threadIdx.x; i < n; i += 256)
      if (near[i] >= 0 && near[i] < least) least = near[i], node = i;
    best[threadIdx.x] = least;
    who[threadIdx.x] = node;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (threadIdx.x < half && best[threadIdx.x + half] < best[threadIdx.x]) {
        best[threadIdx.x] = best[threadIdx.x + half];
        who[threadIdx.x] = who[threadIdx.x + half];
      }
      __syncthreads();
    }
    const int next = who[0];
    if (next < 0) {
      if (threadIdx.x == 0) *total = -1.0f;
      return;
    }
    sum += best[0];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256) {
      const float edge = A[(size_t)next * n + i];
      if (i == next) near[i] = -1.0f;
      else if (near[i] >= 0 && edge > 0 && edge < near[i]) near[i] = edge;
    }
  }
  if (threadIdx.x == 0) *total = sum;
}

extern "C" void solution(const float* A, float* min_weight, size_t n) {
  float* near;
  if (cudaMallocAsync((void**)&near, n * sizeof(float), 0) != cudaSuccess) return;
  prim<<<1, 256>>>(A, min_weight, near, (int)n);
  cudaFreeAsync(near, 0);
}
