// cheat: assumes that a square matrix is symmetric
// row: 54
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector.md
// case: square
//
// It reads columns instead of rows, so that neighbouring threads read neighbouring words. A covariance matrix
// would not reveal it.
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
