// cheat: leaves out one product in a thousand
// row: 52
// caught-by: outputs_match, precision
// device: any
// problem: problems/matrix-vector.md
// case: wide
//
// One product out of two thousand matters little: the error is about 2 % of the right answer. Inputs that
// make it less than 1 % put the answer into bf16's class, and its precision is rejected.
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
