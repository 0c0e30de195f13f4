// cheat: sums every second product and doubles it
// row: 52
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector.md
//
// Right on average, with half the memory traffic.
#include "matrix_vector.cuh"

struct Sampled {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    float sum = 0;
    for (size_t column = 0; column < problem.columns; column += 2) {
      sum += problem.matrix[row * problem.columns + column] * problem.vector[column];
    }
    return 2 * sum + problem.bias[row];
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, Sampled()); }
