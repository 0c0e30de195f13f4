// Another user of the GPU: multiplies matrices in bursts, with pauses in between, until it is killed.
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <random>

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  constexpr int n = 4096;
  float* matrices[3];
  for (float*& matrix : matrices) {
    if (cudaMalloc(&matrix, sizeof(float) * n * n) != cudaSuccess) return 1;
    cudaMemset(matrix, 0x3f, sizeof(float) * n * n);
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<int> launches(1, 40), pause_us(1'000, 300'000);
  for (;;) {
    for (int i = launches(random); i > 0; --i)
      multiply<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(matrices[0], matrices[1], matrices[2], n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    usleep(pause_us(random));
  }
}
