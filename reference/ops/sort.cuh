// Sorts numbers by counting, for each, how many come before it. That is its place.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// Of equal numbers, the one that stands first comes first.
__global__ void sort_kernel(const int* input, int* output, std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  const int mine = input[at];
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < count; ++i) place += input[i] < mine || (input[i] == mine && i < at);
  output[place] = mine;
}

inline void sort(const int* input, int* output, std::int64_t count) {
  sort_kernel<<<plane_grid(1, count), threads_per_block>>>(input, output, count);
}

}  // namespace ops
