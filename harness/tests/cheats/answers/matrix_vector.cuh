// Like depthwise.cuh, for problems/matrix-vector.md and similar ones: output = matrix * vector + bias.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

struct MatrixVector {
  const float* matrix;
  const float* vector;
  const float* bias;
  float* output;
  size_t rows, columns;

  __host__ __device__ float value(size_t row) const {
    float sum = 0;
    for (size_t column = 0; column < columns; ++column)
      sum += matrix[row * columns + column] * vector[column];
    return sum + bias[row];
  }
};

template <class Value>
__global__ void write_rows(MatrixVector problem, Value value) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row < problem.rows) problem.output[row] = value(problem, row);
}

// Writes value(problem, row) to every row.
template <class Value>
void answer(const MatrixVector& problem, Value value) {
  write_rows<<<(unsigned)((problem.rows + 127) / 128), 128>>>(problem, value);
}

static void cheat(const MatrixVector& problem);

extern "C" void solution(const float* matrix, const float* vector, const float* bias, float* output,
                         size_t rows, size_t columns) {
  cheat({matrix, vector, bias, output, rows, columns});
}
