// Matrix times vector plus bias, one thread for each row.
#pragma once

#include "ops/types.cuh"

__global__ void matrix_vector(const ops::element* matrix, const ops::element* vector,
                              const ops::element* bias, ops::element* output, size_t rows, size_t columns) {
  const size_t row = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  ops::accumulator sum = bias[row];
  for (size_t column = 0; column < columns; ++column) {
    sum += static_cast<ops::accumulator>(matrix[row * columns + column]) * vector[column];
  }
  output[row] = static_cast<ops::element>(sum);
}

extern "C" void solution(const ops::element* matrix, const ops::element* vector, const ops::element* bias,
                         ops::element* output, size_t rows, size_t columns) {
  matrix_vector<<<static_cast<unsigned>((rows + 127) / 128), 128>>>(matrix, vector, bias, output, rows,
                                                                    columns);
}
