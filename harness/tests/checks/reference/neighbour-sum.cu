// The sum of an element and its neighbour.
#include <cstddef>

#ifndef KGRADE_ACCUMULATOR
#define KGRADE_ACCUMULATOR float
#endif

__global__ void neighbour_sum(const float* in, float* out, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  out[i] = static_cast<float>(static_cast<KGRADE_ACCUMULATOR>(in[i]) + in[i ^ 1]);
}

extern "C" void solution(const float* in, float* out, std::size_t n) {
  neighbour_sum<<<static_cast<unsigned>((n + 63) / 64), 64>>>(in, out, n);
}
