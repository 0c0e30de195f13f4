// The sum of all elements up to each one.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

__global__ void compute(const int* x, std::int64_t* y, std::int64_t start, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  std::int64_t sum = start;
  for (std::size_t k = 0; k <= i; ++k) sum += x[k];
  y[i] = sum;
}

extern "C" void solution(const int* x, std::int64_t* y, std::int64_t start, std::size_t n) {
  compute<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, y, start, n);
}
