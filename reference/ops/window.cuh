// Sums over a window around each element of a vector:
//
//   output[i] = sum of input[j] for all j with |j - i| <= (window - 1) / 2 that are in the vector
#pragma once

#include "ops/launch.cuh"

namespace ops {

// This many terms are summed separately, which loses less precision than one long sum.
constexpr std::int64_t terms_at_once = 64;

__global__ void window_sum_kernel(const element* input, element* output, std::int64_t count, std::int64_t window) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  const std::int64_t reach = (window - 1) / 2;
  const std::int64_t first = at - reach < 0 ? 0 : at - reach;
  const std::int64_t last = smaller(at + reach, count - 1);
  accumulator sum = 0;
  for (std::int64_t begin = first; begin <= last; begin += terms_at_once) {
    accumulator part = 0;
    for (std::int64_t j = begin; j <= last && j < begin + terms_at_once; ++j)
      part += static_cast<accumulator>(input[j]);
    sum += part;
  }
  output[at] = static_cast<element>(sum);
}

inline void window_sum(const element* input, element* output, std::int64_t count, std::int64_t window) {
  window_sum_kernel<<<plane_grid(1, count), threads_per_block>>>(input, output, count, window);
}

}  // namespace ops
