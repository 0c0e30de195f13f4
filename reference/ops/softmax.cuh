// Softmax and its logarithm over sets of values: e^(x - m) / s and x - m - log(s), with the largest value m
// of the set and s = the sum of e^(x - m). Without m the results would be the same, but large exponentials
// would overflow.
#pragma once

#include <cmath>

#include "ops/sets.cuh"

namespace ops {

__device__ inline accumulator block_max(accumulator value) {
  __shared__ accumulator partial[threads_per_block];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = std::fmax(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  const accumulator largest = partial[0];
  __syncthreads();  // before the next call writes to `partial`
  return largest;
}

struct SoftmaxSums {
  accumulator largest;
  accumulator sum;  // of e^(x - largest)
};

// Of the set of this block.
__device__ inline SoftmaxSums softmax_sums(const element* input, const Sets& sets) {
  const std::int64_t set = blockIdx.x;
  accumulator largest = static_cast<accumulator>(input[sets.offset(set, 0)]);
  for (std::int64_t i = threadIdx.x; i < sets.size(); i += threads_per_block) {
    largest = std::fmax(largest, static_cast<accumulator>(input[sets.offset(set, i)]));
  }
  largest = block_max(largest);
  accumulator sum = 0;
  for (std::int64_t begin = threadIdx.x; begin < sets.size(); begin += chunk_size) {
    // Chunks are added first, for the same reason as in sum_sets.
    accumulator part = 0;
    for (std::int64_t i = begin; i < smaller(begin + chunk_size, sets.size()); i += threads_per_block) {
      part += std::exp(static_cast<accumulator>(input[sets.offset(set, i)]) - largest);
    }
    sum += part;
  }
  return {largest, block_sum(sum)};
}

struct Softmax {
  __device__ accumulator operator()(accumulator x, const SoftmaxSums& sums) const {
    return std::exp(x - sums.largest) / sums.sum;
  }
};

struct LogSoftmax {
  __device__ accumulator operator()(accumulator x, const SoftmaxSums& sums) const {
    return x - sums.largest - std::log(sums.sum);
  }
};

// Block b does set b.
template <class Function>
__global__ void softmax_kernel(Function function, const element* input, element* output, Sets sets) {
  const SoftmaxSums sums = softmax_sums(input, sets);
  for (std::int64_t i = threadIdx.x; i < sets.size(); i += threads_per_block) {
    const std::int64_t offset = sets.offset(blockIdx.x, i);
    output[offset] = static_cast<element>(function(static_cast<accumulator>(input[offset]), sums));
  }
}

// softmax(Softmax(), ...) or softmax(LogSoftmax(), ...).
template <class Function>
void softmax(const Function& function, const element* input, element* output, const Sets& sets) {
  softmax_kernel<<<static_cast<unsigned>(sets.count()), threads_per_block>>>(function, input, output, sets);
}

}  // namespace ops
