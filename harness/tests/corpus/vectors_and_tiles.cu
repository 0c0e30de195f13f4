// First steps: a vector with a tail, a tiled matrix product, a reduction.
#include "corpus.h"

namespace {

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

constexpr int tile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile + 1];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0.0f;
  for (int step = 0; step < k; step += tile) {
    a_tile[threadIdx.y][threadIdx.x] =
        row < m && step + threadIdx.x < k ? a[row * k + step + threadIdx.x] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] =
        column < n && step + threadIdx.y < k ? b[(step + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void sum_rows(const float* input, float* output, int columns) {
  extern __shared__ float partial[];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += input[blockIdx.x * columns + i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) output[blockIdx.x] = partial[0];
}

}  // namespace

CORPUS_CASE(adds_vectors_with_a_tail) {
  const int n = 1003;
  const auto a = corpus::numbers(n, 1), b = corpus::numbers(n, 2);
  const corpus::DeviceArray<float> da(a), db(b), dc(n);
  add<<<(n + 255) / 256, 256>>>(da.data(), db.data(), dc.data(), n);
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = a[i] + b[i];
  report.expect_equal("sum", dc.download(), expected);
}

CORPUS_CASE(multiplies_matrices_in_tiles) {
  const int m = 37, n = 70, k = 53;
  const auto a = corpus::numbers(m * k, 3), b = corpus::numbers(k * n, 4);
  const corpus::DeviceArray<float> da(a), db(b), dc(m * n);
  multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(da.data(), db.data(),
                                                                                     dc.data(), m, n, k);
  std::vector<float> expected(m * n, 0.0f);
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      for (int i = 0; i < k; ++i) expected[row * n + column] += a[row * k + i] * b[i * n + column];
    }
  }
  report.expect_equal("product", dc.download(), expected);
}

CORPUS_CASE(sums_rows_in_dynamic_shared_memory) {
  const int rows = 9, columns = 333;
  const auto input = corpus::numbers(rows * columns, 5);
  const corpus::DeviceArray<float> device_input(input), device_output(rows);
  sum_rows<<<rows, 128, 128 * sizeof(float)>>>(device_input.data(), device_output.data(), columns);
  std::vector<float> expected(rows, 0.0f);
  for (int i = 0; i < rows * columns; ++i) expected[i / columns] += input[i];
  report.expect_equal("sums", device_output.download(), expected);
}
