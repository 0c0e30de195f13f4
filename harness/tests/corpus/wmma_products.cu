// Tensor cores through wmma: 8-bit integers, tf32 and double; layouts and shapes.
#include <mma.h>

#include "corpus.h"

using namespace nvcuda;

namespace {

// One warp multiplies one tile of m by n, over all of k.
template <class T, class Memory, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void multiply(const Memory* a, const Memory* b, Sum* c, int k) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> a_tile;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> b_tile;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  wmma::fill_fragment(sum, static_cast<Sum>(0));
  for (int step = 0; step < k; step += K) {
    wmma::load_matrix_sync(a_tile, a + (rows_a ? step : step * M), rows_a ? k : M);
    wmma::load_matrix_sync(b_tile, b + (rows_b ? step * N : step), rows_b ? N : k);
    wmma::mma_sync(sum, a_tile, b_tile, sum);
  }
  wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

// Whole numbers of -8 to 7, in memory as the layout wants them.
template <class Memory>
std::vector<Memory> matrix(int rows, int columns, unsigned seed, bool by_rows, std::vector<int>& plain) {
  const auto values = corpus::numbers(rows * columns, seed);
  std::vector<Memory> result(rows * columns);
  plain.resize(rows * columns);
  for (int i = 0; i < rows * columns; ++i) {
    plain[i] = static_cast<int>(values[i]) % 8;
    if (std::is_unsigned<Memory>::value) plain[i] = std::abs(plain[i]);
    result[by_rows ? i : i % columns * rows + i / columns] = static_cast<Memory>(plain[i]);
  }
  return result;
}

template <class T, class Memory, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
void check(corpus::Report& report, const char* what) {
  const int k = 4 * K;
  std::vector<int> plain_a, plain_b;
  const auto a = matrix<Memory>(M, k, 1, std::is_same<LayoutA, wmma::row_major>::value, plain_a);
  const auto b = matrix<Memory>(k, N, 2, std::is_same<LayoutB, wmma::row_major>::value, plain_b);
  const corpus::DeviceArray<Memory> device_a(a), device_b(b);
  const corpus::DeviceArray<Sum> device_c(M * N);
  multiply<T, Memory, Sum, M, N, K, LayoutA, LayoutB>
      <<<1, 32>>>(device_a.data(), device_b.data(), device_c.data(), k);
  std::vector<Sum> expected(M * N);
  for (int i = 0; i < M * N; ++i) {
    int sum = 0;
    for (int j = 0; j < k; ++j) sum += plain_a[i / N * k + j] * plain_b[j * N + i % N];
    expected[i] = static_cast<Sum>(sum);
  }
  report.expect_equal(what, device_c.download(), expected);
}

__global__ void round_and_multiply(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_tile;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b_tile;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::load_matrix_sync(a_tile, a, 8);
  wmma::load_matrix_sync(b_tile, b, 8);
  for (int i = 0; i < a_tile.num_elements; ++i) a_tile.x[i] = wmma::__float_to_tf32(a_tile.x[i]);
  for (int i = 0; i < b_tile.num_elements; ++i) b_tile.x[i] = wmma::__float_to_tf32(b_tile.x[i]);
  wmma::fill_fragment(sum, 0.0f);
  wmma::mma_sync(sum, a_tile, b_tile, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

// To the nearest float with 10 bits after the point, ties away from zero.
double tf32(float x) {
  int exponent = 0;
  const double mantissa = std::frexp(static_cast<double>(x), &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
}

__global__ void count_elements(const signed char* ones, int* counts) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> f;
  wmma::fill_fragment(f, 0);
  for (int i = 0; i < f.num_elements; ++i) ++f.x[i];
  wmma::store_matrix_sync(counts, f, 16, wmma::mem_col_major);
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> loaded, copy;
  wmma::load_matrix_sync(loaded, counts, 16, wmma::mem_col_major);
  for (int i = 0; i < loaded.num_elements; ++i) copy.x[i] = loaded.x[i] * 10 + f.x[i];
  wmma::store_matrix_sync(counts + 256, copy, 16, wmma::mem_row_major);
}

}  // namespace

CORPUS_CASE(int8_with_columns_of_b) {
  check<signed char, signed char, int, 16, 16, 16, wmma::row_major, wmma::col_major>(report, "int8");
}

CORPUS_CASE(uint8_in_other_shapes) {
  check<unsigned char, unsigned char, int, 32, 8, 16, wmma::row_major, wmma::row_major>(report, "32x8");
  check<unsigned char, unsigned char, int, 8, 32, 16, wmma::col_major, wmma::col_major>(report, "8x32");
}

CORPUS_CASE(tf32_of_whole_numbers) {
  check<wmma::precision::tf32, float, float, 16, 16, 8, wmma::row_major, wmma::row_major>(report, "rows");
  check<wmma::precision::tf32, float, float, 16, 16, 8, wmma::col_major, wmma::col_major>(report, "columns");
}

CORPUS_CASE(tf32_rounds_what_it_is_given) {
  std::vector<float> a(128), b(128), expected(256);
  for (int i = 0; i < 128; ++i) {
    a[i] = 1.0f + i * 0.0003f;
    b[i] = 2.0f / (i + 3.0f);
  }
  for (int i = 0; i < 256; ++i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += tf32(a[i / 16 * 8 + k]) * tf32(b[i % 16 * 8 + k]);
    expected[i] = static_cast<float>(sum);
  }
  const corpus::DeviceArray<float> device_a(a), device_b(b), device_c(256);
  round_and_multiply<<<1, 32>>>(device_a.data(), device_b.data(), device_c.data());
  report.expect_near("products", device_c.download(), expected, 2e-6);
}

CORPUS_CASE(double_products) {
  check<double, double, double, 8, 8, 4, wmma::row_major, wmma::col_major>(report, "double");
}

CORPUS_CASE(each_element_once) {
  const corpus::DeviceArray<signed char> ones(1);
  const corpus::DeviceArray<int> counts(512);
  count_elements<<<1, 32>>>(ones.data(), counts.data());
  std::vector<int> expected(512, 1);
  for (int i = 256; i < 512; ++i) expected[i] = 11;
  report.expect_equal("counts", counts.download(), expected);
}
