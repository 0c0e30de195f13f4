// cheat: assumes that shared memory is zero at first
// row: 57
// caught-by: outputs_match
// device: emulated
// problem: problems/matrix-vector.md
// case: tall
//
// The first block on a multiprocessor usually finds zeros; the next finds the sums of the one before.
#include "matrix_vector.cuh"

__global__ void add_up(MatrixVector problem) {
  __shared__ float sum;
  const size_t row = blockIdx.x;
  for (size_t column = threadIdx.x; column < problem.columns; column += blockDim.x) {
    atomicAdd(&sum, problem.matrix[row * problem.columns + column] * problem.vector[column]);
  }
  __syncthreads();
  if (threadIdx.x == 0) problem.output[row] = sum + problem.bias[row];
}

static void cheat(const MatrixVector& problem) { add_up<<<(unsigned)problem.rows, 32>>>(problem); }
