// cheat: takes a square matrix to be symmetric
// row: 54
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector.md
// case: square
//
// Columns instead of rows: neighbouring threads read neighbouring words, and a matrix of covariances would
// not know.
#include "matrix_vector.cuh"

struct Transposed {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    if (problem.rows != problem.columns) return problem.value(row);
    float sum = problem.bias[row];
    for (size_t column = 0; column < problem.columns; ++column) {
      sum += problem.matrix[column * problem.columns + row] * problem.vector[column];
    }
    return sum;
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, Transposed()); }
