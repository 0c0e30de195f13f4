// The mean of every row times a weight.
#include <cuda_runtime.h>

#include <cstddef>

#include "ops/types.cuh"

__global__ void compute(const ops::element* x, const ops::element* weight, ops::element* out,
                        std::size_t rows, std::size_t columns) {
  const std::size_t row = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (row >= rows) return;
  ops::accumulator sum = 0;
  for (std::size_t k = 0; k < columns; ++k) sum += ops::accumulator(x[row * columns + k]);
  out[row] = static_cast<ops::element>(sum / ops::accumulator(columns) * ops::accumulator(weight[row]));
}

extern "C" void solution(const ops::element* x, const ops::element* weight, ops::element* out, size_t rows,
                         size_t columns) {
  compute<<<static_cast<unsigned>((rows + 63) / 64), 64>>>(x, weight, out, rows, columns);
}
