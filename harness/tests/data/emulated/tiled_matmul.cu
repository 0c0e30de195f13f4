// Tiles in shared memory, two barriers a tile, sizes that are no multiple of the tile.
#include <cuda_runtime.h>

#define TILE 16

__global__ void __launch_bounds__(TILE * TILE) matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    const int a_column = start + threadIdx.x, b_row = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" int tiled_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  dim3 blockDim(TILE, TILE);
  dim3 gridDim((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul<<<gridDim, blockDim>>>(a, b, c, m, n, k);
  cudaDeviceSynchronize();
  return cudaGetLastError();
}
