// The square of every element but the last, which is never written.

#include <cuda_runtime.h>

#include <cstddef>

#include "ops/types.cuh"

__global__ void compute(const ops::element* x, ops::element* y, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i + 1 >= n) return;
  y[i] = static_cast<ops::element>(ops::accumulator(x[i]) * ops::accumulator(x[i]));
}

extern "C" void solution(const ops::element* x, ops::element* y, size_t n) {
  compute<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, y, n);
}
