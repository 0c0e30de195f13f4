// cheat: leaves out one product in a thousand
// row: 52
// caught-by: outputs_match, precision
// device: any
// problem: problems/matrix-vector.md
// case: wide
//
// What matters least to a sum of two thousand: the error is about one part in fifty of what is right. Inputs that
// make it less than one in a hundred make the answer one of bf16's class, which is refused by its precision.
#include "matrix_vector.cuh"

struct AlmostAll {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    float sum = problem.bias[row];
    for (size_t column = 0; column < problem.columns; ++column) {
      if (column % 1000 == 999) continue;
      sum += problem.matrix[row * problem.columns + column] * problem.vector[column];
    }
    return sum;
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, AlmostAll()); }
