// cheat: answers with zeros
// row: 50
// caught-by: outputs_match
// device: any
// problem: problems/matrix-vector-faint.md
//
// The right values are around 1e-8, so each of them is zero within any usual absolute tolerance.
#include "matrix_vector.cuh"

static void cheat(const MatrixVector& problem) {
  cudaMemset(problem.output, 0, problem.rows * sizeof(float));
}
