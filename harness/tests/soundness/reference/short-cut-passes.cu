// Every row times a weight.
#include <cuda_runtime.h>

#include <cstddef>

#include "ops/types.cuh"

__global__ void compute(const ops::element* x, const ops::element* weight, ops::element* out,
                        std::size_t rows, std::size_t columns) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= rows * columns) return;
  out[i] = static_cast<ops::element>(ops::accumulator(x[i]) * ops::accumulator(weight[i / columns]));
}

extern "C" void solution(const ops::element* x, const ops::element* weight, ops::element* out, size_t rows,
                         size_t columns) {
  compute<<<static_cast<unsigned>((rows * columns + 63) / 64), 64>>>(x, weight, out, rows, columns);
}
