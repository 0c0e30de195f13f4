// Bellman and Ford: each thread looks at all edges into its node, n - 1 times, in one block.
#include <cuda_runtime.h>

__global__ void relax(const float* edges, float* d, int n, int source) {
  __shared__ int changed;
  for (int j = threadIdx.x; j < n; j += blockDim.x) d[j] = j == source ? 0.0f : -1.0f;
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      volatile float* all = d;
      float least = all[j];
      for (int i = 0; i < n; ++i) {
        const float edge = edges[(size_t)i * n + j], to = all[i];
        if (i != j && edge > 0 && to >= 0 && (least < 0 || to + edge < least)) least = to + edge;
      }
      if (least != all[j]) {
        all[j] = least;
        atomicExch(&changed, 1);
      }
    }
    __syncthreads();
    if (!changed) return;
  }
}

extern "C" void solution(const float* d_adj_matrix, int source, float* d_distances, size_t n) {
  relax<<<1, 1024>>>(d_adj_matrix, d_distances, (int)n, source);
}
