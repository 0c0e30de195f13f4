// n x n matrices in tiles of shared memory, two barriers for each tile; n is a multiple of the tile.
#include <cuda_runtime.h>

template <int Tile>
__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[Tile][Tile];
  __shared__ float tile_b[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < n; start += Tile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" void matmul(const float* a, const float* b, float* c, int n, int tile) {
  if (tile == 16) matmul_kernel<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
  if (tile == 32) matmul_kernel<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
}
