// cheat: answers with numbers that are too small to be wrong
// row: 50
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector-faint.md
//
// Not zero, in case zeros are asked for: the bias-free first product alone, of the right sign and order of
// magnitude, and off by less than any absolute tolerance.
#include "matrix_vector.cuh"

struct FirstProduct {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.matrix[row * problem.columns] * problem.vector[0];
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, FirstProduct()); }
