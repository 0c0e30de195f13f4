// How a block of threads multiplies two tiles (ops/product.cuh): which elements of the square each thread
// computes, and on which cores.
#pragma once

#include "ops/launch.cuh"

namespace ops {

constexpr int threads_of_square = 256;

// Some terms of the rows of A, or of the columns of B. The numbers at the end of a term are not used: they
// spread the addresses over the banks of shared memory. With four of them, a thread can still read four
// neighbouring floats at once.
template <int square>
struct Tile {
  static constexpr int terms = 1024 / square;
  static constexpr int width = square + (sizeof(accumulator) > 4 ? 16 / terms : 4);
  alignas(16) accumulator of_term[terms][width];
};

// A thread computes fours of neighbouring rows and columns, which are 64 apart.
template <int square>
struct PlainCores {
  static constexpr int rows = square / 16;
  static constexpr int columns = square / 16;
  const int top = static_cast<int>(threadIdx.x) / 16 * 4;
  const int left = static_cast<int>(threadIdx.x) % 16 * 4;

  __device__ int row(int i) const { return i / 4 * 64 + top + i % 4; }
  __device__ int column(int j) const { return j / 4 * 64 + left + j % 4; }

  // sum[i][j] += sum over the terms k of a[k][row(i)] * b[k][column(j)].
  __device__ void add(const Tile<square>& a, const Tile<square>& b, accumulator (&sum)[rows][columns]) const {
#pragma unroll
    for (int k = 0; k < Tile<square>::terms; ++k) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) sum[i][j] += a.of_term[k][row(i)] * b.of_term[k][column(j)];
      }
    }
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

// The cores for products of small matrices of doubles (PTX ISA, "mma", .f64). A warp computes half of the
// square's rows and a quarter of its columns.
template <int square>
struct TensorCores {
  static constexpr int rows = square / 16;
  static constexpr int columns = square / 16;
  const int group = static_cast<int>(threadIdx.x) % 32 / 4;
  const int member = static_cast<int>(threadIdx.x) % 4;
  const int top = static_cast<int>(threadIdx.x) / 128 * (square / 2) + group;
  const int left = static_cast<int>(threadIdx.x) % 128 / 32 * (square / 4);

  __device__ int row(int i) const { return top + i * 8; }
  __device__ int column(int j) const { return left + j / 2 * 8 + member * 2 + j % 2; }

  // As in PlainCores. A group adds eight terms at once, two of each member. Their order does not matter, as
  // long as it is the same for both matrices: as each member has neighbouring terms, no two threads read from
  // the same bank.
  __device__ void add(const Tile<square>& a, const Tile<square>& b, double (&sum)[rows][columns]) const {
    constexpr int terms_of_member = Tile<square>::terms / 4;
    for (int k = member * terms_of_member; k < (member + 1) * terms_of_member; k += 2) {
      double a_terms[rows][2];
      double b_terms[columns / 2][2];
      for (int n = 0; n < 2; ++n) {
        for (int i = 0; i < rows; ++i) a_terms[i][n] = a.of_term[k + n][row(i)];
        for (int j = 0; j < columns / 2; ++j) b_terms[j][n] = b.of_term[k + n][left + j * 8 + group];
      }
      for (int i = 0; i < rows; i += 2) {
        for (int j = 0; j < columns; j += 2) {
          add_terms(a_terms[i], a_terms[i + 1], b_terms[j / 2], &sum[i][j], &sum[i + 1][j]);
        }
      }
    }
  }

  // Adds eight terms to 16 rows and 8 columns of a warp. This thread has two terms of a row of the upper
  // half, of one of the lower half and of a column, and two sums of each half.
  static __device__ void add_terms(const double* upper, const double* lower, const double* column,
                                   double* upper_sum, double* lower_sum) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(upper_sum[0]), "+d"(upper_sum[1]), "+d"(lower_sum[0]), "+d"(lower_sum[1])
        : "d"(upper[0]), "d"(lower[0]), "d"(upper[1]), "d"(lower[1]), "d"(column[0]), "d"(column[1]));
#else
    for (int n = 0; n < 2; ++n) {
      add_four_terms(upper[n], column[n], upper_sum);
      add_four_terms(lower[n], column[n], lower_sum);
    }
#endif
  }

  // Adds four terms to 8 rows and 8 columns of a warp.
  static __device__ void add_four_terms(double row, double column, double* sum) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(row), "d"(column));
  }
};

#else

template <int square>
using TensorCores = PlainCores<square>;

#endif

template <int square>
using Cores =
    std::conditional_t<std::is_same_v<accumulator, double>, TensorCores<square>, PlainCores<square>>;

}  // namespace ops
