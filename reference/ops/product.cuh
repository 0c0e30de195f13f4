// Products of matrices, one or a batch of them: C[i, j] = sum over k of A[i, k] B[k, j].
//
// A block of threads computes a square of C. It goes along k in tiles, which it copies to shared memory, so
// that every element is read once for a whole row of the square. It reads the next tiles while it multiplies
// those that it has. On a GPU, doubles are multiplied on tensor cores.
#pragma once

#include "ops/product_cores.cuh"

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

// The number of terms that are summed before their sum is added to the total. The error of a sum of 2^19
// terms is then that of two short sums.
constexpr int run_terms = 512;

// What one thread copies of the tiles along the columns of a matrix: four numbers of each. Neighbouring
// threads read neighbouring addresses, whichever axis they are along.
template <int square, class T>
class Copier {
 public:
  // For the `square` rows of matrix `batch` from first_row on.
  __device__ Copier(const Matrix<T>& matrix, std::int64_t batch, std::int64_t first_row, std::int64_t rows)
      : rows_left_(static_cast<int>(smaller(rows - first_row, square))),
        along_rows_(matrix.column_stride == 1) {
    const int thread = static_cast<int>(threadIdx.x);
    const int threads_along = along_rows_ ? Tile<square>::terms : square;
    along_ = thread % threads_along;
    across_ = thread / threads_along;
    apart_ = threads_of_square / threads_along;
    const int row = along_rows_ ? across_ : along_;
    const int column = along_rows_ ? along_ : across_;
    place_ = column * Tile<square>::width + row;
    places_apart_ = along_rows_ ? apart_ : apart_ * Tile<square>::width;
    source_ = matrix.data + batch * matrix.batch_stride + (first_row + row) * matrix.row_stride +
              column * matrix.column_stride;
    sources_apart_ = apart_ * (along_rows_ ? matrix.row_stride : matrix.column_stride);
    tiles_apart_ = Tile<square>::terms * matrix.column_stride;
  }

  // Reads the next tile. The matrix has `terms_left` columns from there on, and outside of it are zeros.
  __device__ void read(std::int64_t terms_left) {
    const int columns_left = static_cast<int>(smaller(terms_left, Tile<square>::terms));
    const bool inside = along_ < (along_rows_ ? columns_left : rows_left_);
    const int left = inside ? (along_rows_ ? rows_left_ : columns_left) - across_ : 0;
    for (int i = 0; i < count; ++i)
      numbers_[i] = i * apart_ < left ? source_[i * sources_apart_] : static_cast<T>(0.0f);
    source_ += tiles_apart_;
  }

  __device__ void write(Tile<square>& tile) const {
    accumulator* const place = tile.of_term[0] + place_;
    for (int i = 0; i < count; ++i) place[i * places_apart_] = static_cast<accumulator>(numbers_[i]);
  }

 private:
  static constexpr int count = square * Tile<square>::terms / threads_of_square;
  int rows_left_;
  bool along_rows_;
  int along_, across_, apart_;
  int place_, places_apart_;
  const T* source_;
  std::int64_t sources_apart_, tiles_apart_;
  T numbers_[count];
};

template <int rows, int columns>
__device__ void add_and_clear(accumulator (&total)[rows][columns], accumulator (&sum)[rows][columns]) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      total[i][j] += sum[i][j];
      sum[i][j] = 0;
    }
  }
}

template <int square, class A, class B, class Output, class Finish>
__global__ void __launch_bounds__(threads_of_square, square == 64 ? 2 : 1)
    product_kernel(Matrix<A> a, Matrix<B> b, Output* output, ProductShape shape, Finish finish) {
  __shared__ Tile<square> a_tiles[2];
  __shared__ Tile<square> b_tiles[2];
  int now = 0;  // the tiles that are multiplied; slower threads may still read the others
  const std::int64_t squares_across = (shape.columns + square - 1) / square;
  const std::int64_t first_row = blockIdx.x / squares_across * square;
  const std::int64_t first_column = blockIdx.x % squares_across * square;
  const Cores<square> cores;

  for (std::int64_t batch = blockIdx.y; batch < shape.batches; batch += gridDim.y) {
    Copier<square, A> a_copier(a, batch, first_row, shape.rows);
    Copier<square, B> b_copier(transposed(b), batch, first_column, shape.columns);
    accumulator total[cores.rows][cores.columns] = {};
    accumulator sum[cores.rows][cores.columns] = {};
    a_copier.read(shape.terms);
    b_copier.read(shape.terms);
    for (std::int64_t k = 0; k < shape.terms; k += Tile<square>::terms) {
      if (k % run_terms == 0) add_and_clear(total, sum);
      a_copier.write(a_tiles[now]);
      b_copier.write(b_tiles[now]);
      __syncthreads();
      a_copier.read(shape.terms - k - Tile<square>::terms);
      b_copier.read(shape.terms - k - Tile<square>::terms);
      cores.add(a_tiles[now], b_tiles[now], sum);
      now = 1 - now;
    }
    add_and_clear(total, sum);
    for (int i = 0; i < cores.rows; ++i) {
      for (int j = 0; j < cores.columns; ++j) {
        const std::int64_t row = first_row + cores.row(i);
        const std::int64_t column = first_column + cores.column(j);
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

inline std::int64_t squares_of(const ProductShape& shape, int square) {
  return (shape.rows + square - 1) / square * ((shape.columns + square - 1) / square);
}

template <int square, class A, class B, class Output, class Finish>
void product_in_squares(const Matrix<A>& a, const Matrix<B>& b, Output* output, const ProductShape& shape,
                        const Finish& finish) {
  const dim3 grid(static_cast<unsigned>(squares_of(shape, square)),
                  static_cast<unsigned>(smaller(shape.batches, 65535)));
  product_kernel<square><<<grid, threads_of_square>>>(a, b, output, shape, finish);
}

// output[i, j] = finish(C[i, j], i, j), row-major, one matrix of a batch after the other.
template <class A, class B, class Output, class Finish = Plain>
void product(const Matrix<A>& a, const Matrix<B>& b, Output* output, const ProductShape& shape,
             const Finish& finish = Finish()) {
  // In large squares, a number in shared memory is used more often. But they must occupy the whole GPU, and
  // for doubles a thread has too few registers.
  if constexpr (sizeof(accumulator) == sizeof(float)) {
    if (smaller(shape.rows, shape.columns) > 64 && squares_of(shape, 128) * shape.batches >= 128) {
      product_in_squares<128>(a, b, output, shape, finish);
      return;
    }
  }
  product_in_squares<64>(a, b, output, shape, finish);
}

}  // namespace ops
