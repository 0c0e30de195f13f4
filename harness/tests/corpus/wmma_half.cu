// Tensor cores through wmma: half and bfloat16, shared memory, what is done with the sums.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "corpus.h"

namespace wmma = nvcuda::wmma;

namespace {

// 32x32 of c a block by four warps, tiles of a and b in shared memory; ragged edges are filled with zeros.
constexpr int tile = 32;

__global__ void multiply_shared(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __half a_tile[tile][tile], b_tile[tile][tile];
  __shared__ float c_tile[tile][tile];
  const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int step = 0; step < k; step += tile) {
    for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) {
      const int y = i / tile, x = i % tile;
      const bool in_a = first_row + y < m && step + x < k, in_b = step + y < k && first_column + x < n;
      a_tile[y][x] = __float2half(in_a ? a[(first_row + y) * k + step + x] : 0.0f);
      b_tile[y][x] = __float2half(in_b ? b[(step + y) * n + first_column + x] : 0.0f);
    }
    __syncthreads();
    for (int part = 0; part < tile; part += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_part;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b_part;
      wmma::load_matrix_sync(a_part, &a_tile[row][part], tile);
      wmma::load_matrix_sync(b_part, &b_tile[part][column], tile);
      wmma::mma_sync(sum, a_part, b_part, sum);
    }
    __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = fmaxf(sum.x[i] * 0.25f, 0.0f);
  wmma::store_matrix_sync(&c_tile[row][column], sum, tile, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) {
    const int y = first_row + i / tile, x = first_column + i % tile;
    if (y < m && x < n) c[y * n + x] = c_tile[i / tile][i % tile];
  }
}

__global__ void multiply_bfloat16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a_part;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b_part;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(a_part, a, 16);
  wmma::load_matrix_sync(b_part, b, 16);
  wmma::fill_fragment(sum, 1.0f);
  wmma::mma_sync(sum, a_part, b_part, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

__global__ void accumulate_half(const __half* a, const __half* b, const __half* bias, __half* c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> a_part;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> b_part;
  wmma::fragment<wmma::accumulator, 32, 8, 16, __half> sum, start;
  wmma::load_matrix_sync(a_part, a, 32);
  wmma::load_matrix_sync(b_part, b, 8);
  wmma::load_matrix_sync(start, bias, 8, wmma::mem_row_major);
  for (int i = 0; i < b_part.num_elements; ++i) b_part.x[i] = __hmul(b_part.x[i], __float2half(2.0f));
  wmma::mma_sync(sum, a_part, b_part, start);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

std::vector<float> small_numbers(int count, unsigned seed) {
  std::vector<float> result = corpus::numbers(count, seed);
  for (float& value : result) value = std::fmod(value, 4.0f);
  return result;
}

}  // namespace

CORPUS_CASE(half_product_in_shared_memory_with_an_epilogue) {
  const int m = 50, n = 70, k = 90;
  const auto a = small_numbers(m * k, 1), b = small_numbers(k * n, 2);
  const corpus::DeviceArray<float> device_a(a), device_b(b), device_c(m * n);
  multiply_shared<<<dim3(3, 2), 128>>>(device_a.data(), device_b.data(), device_c.data(), m, n, k);
  std::vector<float> expected(m * n);
  for (int i = 0; i < m * n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
    expected[i] = std::fmax(sum * 0.25f, 0.0f);
  }
  report.expect_equal("product", device_c.download(), expected);
}

CORPUS_CASE(bfloat16_product) {
  const auto a = small_numbers(256, 3), b = small_numbers(256, 4);
  std::vector<__nv_bfloat16> low_a(256), low_b(256);
  for (int i = 0; i < 256; ++i) {
    low_a[i] = __float2bfloat16(a[i]);
    low_b[i] = __float2bfloat16(b[i]);
  }
  const corpus::DeviceArray<__nv_bfloat16> device_a(low_a), device_b(low_b);
  const corpus::DeviceArray<float> device_c(256);
  multiply_bfloat16<<<1, 32>>>(device_a.data(), device_b.data(), device_c.data());
  std::vector<float> expected(256, 1.0f);
  for (int i = 0; i < 256; ++i) {
    for (int k = 0; k < 16; ++k) expected[i] += a[i % 16 * 16 + k] * b[i / 16 * 16 + k];
  }
  report.expect_equal("product", device_c.download(), expected);
}

CORPUS_CASE(half_sums_with_operands_changed_in_place) {
  const auto a = small_numbers(32 * 16, 5), b = small_numbers(16 * 8, 6), bias = small_numbers(32 * 8, 7);
  std::vector<__half> half_a(a.size()), half_b(b.size()), half_bias(bias.size());
  for (std::size_t i = 0; i < a.size(); ++i) half_a[i] = __float2half(a[i]);
  for (std::size_t i = 0; i < b.size(); ++i) half_b[i] = __float2half(b[i]);
  for (std::size_t i = 0; i < bias.size(); ++i) half_bias[i] = __float2half(bias[i]);
  const corpus::DeviceArray<__half> device_a(half_a), device_b(half_b), device_bias(half_bias), device_c(256);
  accumulate_half<<<1, 32>>>(device_a.data(), device_b.data(), device_bias.data(), device_c.data());
  std::vector<float> actual, expected;
  for (const __half value : device_c.download()) actual.push_back(__half2float(value));
  for (int i = 0; i < 256; ++i) {
    float sum = bias[i];
    for (int k = 0; k < 16; ++k) sum += a[k * 32 + i / 8] * b[k * 8 + i % 8] * 2.0f;
    expected.push_back(sum);
  }
  report.expect_equal("product", actual, expected);
}
