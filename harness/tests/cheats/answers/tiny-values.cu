// cheat: answers with numbers that are too small to be wrong
// row: 50
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector-faint.md
//
// Not zero, in case there is a check for zeros: only the first product, without a bias, of the right sign and
// order of magnitude, with an error below any absolute tolerance.
#include "matrix_vector.cuh"

struct FirstProduct {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.matrix[row * problem.columns] * problem.vector[0];
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, FirstProduct()); }
