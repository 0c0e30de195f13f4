// The sum of all values, in pairs.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// A block has 2 * threads_per_block values, and writes their sum.
template <class Output>
__global__ void sum_all_kernel(const accumulator* values, std::int64_t count, Output* sums) {
  __shared__ accumulator shared[threads_per_block];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * 2 * threads_per_block + thread;
  const std::int64_t second = first + threads_per_block;
  shared[thread] =
      (first < count ? values[first] : accumulator(0)) + (second < count ? values[second] : accumulator(0));
  __syncthreads();
  for (int half = threads_per_block / 2; half > 0; half /= 2) {
    if (thread < half) shared[thread] += shared[thread + half];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = static_cast<Output>(shared[0]);
}

// output[0] = the sum of `count` values. Sums of blocks are summed up in the same way until one is left.
inline void sum_all(const accumulator* values, std::int64_t count, element* output) {
  const std::int64_t block = 2 * threads_per_block;
  const std::int64_t blocks = (count + block - 1) / block;
  if (blocks == 1) {
    sum_all_kernel<<<1, threads_per_block>>>(values, count, output);
    return;
  }
  Intermediate sums(blocks);
  sum_all_kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(values, count, sums.data());
  sum_all(sums.data(), blocks, output);
}

}  // namespace ops
