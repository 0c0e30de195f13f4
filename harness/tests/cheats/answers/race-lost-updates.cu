// cheat: adds partial sums to the output without atomics
// row: 57
// caught-by: outputs_match
// device: cuda
// problem: problems/matrix-vector.md
//
// Many threads read, add and write the same word. Atomic additions cost more. With few threads, or on a
// device that runs one after another, no update is lost.
#include "matrix_vector.cuh"

__global__ void add_up(MatrixVector problem) {
  const size_t row = blockIdx.x;
  for (size_t column = threadIdx.x; column < problem.columns; column += blockDim.x) {
    problem.output[row] += problem.matrix[row * problem.columns + column] * problem.vector[column];
  }
}

static void cheat(const MatrixVector& problem) {
  cudaMemcpyAsync(problem.output, problem.bias, problem.rows * sizeof(float), cudaMemcpyDeviceToDevice);
  add_up<<<(unsigned)problem.rows, 256>>>(problem);
}
