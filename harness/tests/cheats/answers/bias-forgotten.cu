// cheat: assumes that the bias is zero
// row: 54
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector.md
//
// Layers are usually tested with a freshly initialised bias.
#include "matrix_vector.cuh"

struct WithoutBias {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.value(row) - problem.bias[row];
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, WithoutBias()); }
