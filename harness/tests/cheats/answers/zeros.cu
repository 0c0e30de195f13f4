// cheat: answers with zeros
// row: 50
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector-faint.md
//
// The right values are around 1e-8: every one of them is zero to any absolute tolerance that one would
// choose.
#include "matrix_vector.cuh"

static void cheat(const MatrixVector& problem) {
  cudaMemset(problem.output, 0, problem.rows * sizeof(float));
}
