// A block of threads computes 32 x 32 elements of the product, each thread four of them. The numbers of a
// block of scales are decoded once for all of these.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int side = 32, depth = 32, threads = 256;

__device__ float fp4(unsigned code) {
  const float sizes[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  return code & 8 ? -sizes[code & 7] : sizes[code & 7];
}

__device__ float power_of_2(unsigned char scale) { return ldexpf(1.0f, scale - 127); }

__device__ size_t scale_place(size_t row, size_t block, size_t blocks) {
  const size_t tile = row / 128 * ((blocks + 3) / 4) + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

// Number `step` of a block, times the block's scale; 0 below the last row.
__device__ float number(const uint8_t* q, const uint8_t* scale, size_t row, size_t rows, size_t block,
                        int step, size_t k) {
  if (row >= rows) return 0;
  const size_t i = row * k + block * depth + step;
  return fp4(q[i / 2] >> i % 2 * 4) * power_of_2(scale[scale_place(row, block, k / depth)]);
}

__global__ void multiply(const uint8_t* q_a, const uint8_t* scale_a, const uint8_t* q_b,
                         const uint8_t* scale_b, float* c, size_t m, size_t n, size_t k) {
  __shared__ float a[depth][side + 1], b[depth][side + 1];
  const size_t row = (size_t)blockIdx.y * side, column = (size_t)blockIdx.x * side;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum[2][2] = {};
  for (size_t block = 0; block < k / depth; ++block) {
    for (int i = threadIdx.x; i < side * depth; i += threads) {
      a[i % depth][i / depth] = number(q_a, scale_a, row + i / depth, m, block, i % depth, k);
      b[i % depth][i / depth] = number(q_b, scale_b, column + i / depth, n, block, i % depth, k);
    }
    __syncthreads();
    for (int step = 0; step < depth; ++step)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) sum[i][j] += a[step][y + 16 * i] * b[step][x + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (row + y + 16 * i < m && column + x + 16 * j < n)
        c[(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
}

extern "C" void solution(const uint8_t* q_a, const uint8_t* scale_a, const uint8_t* q_b,
                         const uint8_t* scale_b, float* c, size_t m, size_t n, size_t k) {
  const dim3 grid((unsigned)((n + side - 1) / side), (unsigned)((m + side - 1) / side));
  multiply<<<grid, threads>>>(q_a, scale_a, q_b, scale_b, c, m, n, k);
}
