// The product of two vectors, twice.
#include <cuda_runtime.h>

#include <cstddef>

#include "ops/types.cuh"

__global__ void compute(const ops::element* x, const ops::element* y, ops::element* product,
                        ops::element* scaled, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  product[i] = static_cast<ops::element>(ops::accumulator(x[i]) * ops::accumulator(y[i]));
  scaled[i] = product[i];
}

extern "C" void solution(const ops::element* x, const ops::element* y, ops::element* product,
                         ops::element* scaled, size_t n) {
  compute<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, y, product, scaled, n);
}
