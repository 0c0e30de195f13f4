// Products of matrices, one or a batch of them: C[i, j] = sum over k of A[i, k] B[k, j].
//
// A block of threads computes a square of C. It goes along k in tiles, which it copies to shared memory, so
// that every element is read once for a whole row of the square.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// Where the elements of a matrix are: (row, column) of matrix `batch` is data[batch * batch_stride + ...].
// With a batch_stride of 0, all products of a batch have the same matrix.
template <class T>
struct Matrix {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t batch_stride;
};

template <class T>
Matrix<T> row_major(const T* data, std::int64_t columns, std::int64_t batch_stride = 0) {
  return {data, columns, 1, batch_stride};
}

template <class T>
__host__ __device__ Matrix<T> transposed(const Matrix<T>& matrix) {
  return {matrix.data, matrix.column_stride, matrix.row_stride, matrix.batch_stride};
}

// The extents of C, and the number of terms of each sum.
struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t terms;
  std::int64_t batches = 1;
};

inline ProductShape product_shape(std::size_t rows, std::size_t columns, std::size_t terms,
                                  std::size_t batches = 1) {
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns),
          static_cast<std::int64_t>(terms), static_cast<std::int64_t>(batches)};
}

constexpr int square = 64;                 // rows and columns of C that a block computes
constexpr int tile_terms = 32;             // terms of a tile
constexpr int side = 16;                   // a block has side * side threads
constexpr int per_thread = square / side;  // neighbouring rows and columns of C
// The numbers at the end of a row are not used. They spread columns over the banks of shared memory, and a
// thread can still read four neighbours at once.
constexpr int tile_width = square + 4;
// The number of terms that are summed before their sum is added to the total. The error of a sum of 2^19
// terms is then that of two short sums.
constexpr int run_terms = 512;

// Copies rows from first_row on and columns from first_column on; outside of the matrix there are zeros.
// Neighbouring threads read neighbouring addresses, whichever axis they are along.
template <class T>
__device__ void copy_tile(const Matrix<T>& matrix, std::int64_t batch, std::int64_t first_row,
                          std::int64_t rows, std::int64_t first_column, std::int64_t columns,
                          accumulator (*tile)[tile_width]) {
  const T* corner = matrix.data + batch * matrix.batch_stride + first_row * matrix.row_stride +
                    first_column * matrix.column_stride;
  const int rows_left = static_cast<int>(smaller(rows - first_row, square));
  const int columns_left = static_cast<int>(smaller(columns - first_column, tile_terms));
  for (int i = static_cast<int>(threadIdx.y) * side + static_cast<int>(threadIdx.x); i < square * tile_terms;
       i += side * side) {
    const int r = matrix.column_stride == 1 ? i / tile_terms : i % square;
    const int c = matrix.column_stride == 1 ? i % tile_terms : i / square;
    const bool inside = r < rows_left && c < columns_left;
    tile[c][r] = inside ? static_cast<accumulator>(corner[r * matrix.row_stride + c * matrix.column_stride])
                        : accumulator(0);
  }
}

template <class A, class B, class Output, class Finish>
__global__ void __launch_bounds__(side* side, 2)
    product_kernel(Matrix<A> a, Matrix<B> b, Output* output, ProductShape shape, Finish finish) {
  __shared__ alignas(32) accumulator a_tile[tile_terms][tile_width];
  __shared__ alignas(32) accumulator b_tile[tile_terms][tile_width];
  const std::int64_t squares_across = (shape.columns + square - 1) / square;
  const std::int64_t first_row = blockIdx.x / squares_across * square;
  const std::int64_t first_column = blockIdx.x % squares_across * square;
  // Where this thread's elements begin in the square.
  const int top = static_cast<int>(threadIdx.y) * per_thread,
            left = static_cast<int>(threadIdx.x) * per_thread;

  for (std::int64_t batch = blockIdx.y; batch < shape.batches; batch += gridDim.y) {
    accumulator total[per_thread][per_thread] = {};
    for (std::int64_t run = 0; run < shape.terms; run += run_terms) {
      accumulator sum[per_thread][per_thread] = {};
      const std::int64_t run_end = run + run_terms < shape.terms ? run + run_terms : shape.terms;
      for (std::int64_t first = run; first < run_end; first += tile_terms) {
        copy_tile(a, batch, first_row, shape.rows, first, run_end, a_tile);
        copy_tile(transposed(b), batch, first_column, shape.columns, first, run_end, b_tile);
        __syncthreads();
        for (int k = 0; k < tile_terms; ++k) {
          for (int i = 0; i < per_thread; ++i) {
            for (int j = 0; j < per_thread; ++j) {
              sum[i][j] += a_tile[k][top + i] * b_tile[k][left + j];
            }
          }
        }
        __syncthreads();
      }
      for (int i = 0; i < per_thread; ++i) {
        for (int j = 0; j < per_thread; ++j) total[i][j] += sum[i][j];
      }
    }
    for (int i = 0; i < per_thread; ++i) {
      for (int j = 0; j < per_thread; ++j) {
        const std::int64_t row = first_row + top + i;
        const std::int64_t column = first_column + left + j;
        if (row >= shape.rows || column >= shape.columns) continue;
        output[(batch * shape.rows + row) * shape.columns + column] =
            static_cast<Output>(finish(total[i][j], row, column));
      }
    }
  }
}

// The product itself is the answer.
struct Plain {
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const { return product; }
};

// output[i, j] = finish(C[i, j], i, j), row-major, one matrix of a batch after the other.
template <class A, class B, class Output, class Finish = Plain>
void product(const Matrix<A>& a, const Matrix<B>& b, Output* output, const ProductShape& shape,
             const Finish& finish = Finish()) {
  const std::int64_t squares = (shape.rows + square - 1) / square * ((shape.columns + square - 1) / square);
  const dim3 grid(static_cast<unsigned>(squares), static_cast<unsigned>(smaller(shape.batches, 65535)));
  product_kernel<<<grid, dim3(side, side)>>>(a, b, output, shape, finish);
}

}  // namespace ops
