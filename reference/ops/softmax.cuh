// Softmax and its logarithm over sets of values: e^(x - m) / s and x - m - log(s), with the largest value m
// of the set and s = the sum of e^(x - m). Without m the results would be the same, but large exponentials
// would overflow.
#pragma once

#include <cmath>

#include "ops/sets.cuh"

namespace ops {

struct Maximum {
  __device__ static accumulator both(accumulator a, accumulator b) { return std::fmax(a, b); }
};

struct SoftmaxSums {
  accumulator largest;
  accumulator sum;  // of e^(x - largest)
};

// The sums over the set of this thread's team.
__device__ inline SoftmaxSums softmax_sums(const element* input, const Share& share,
                                           const SetBlocks& blocks) {
  const auto value = [&](std::int64_t i) {
    return static_cast<accumulator>(input[blocks.sets.offset(share.set, i)]);
  };
  accumulator largest = -INFINITY;
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team) largest = std::fmax(largest, value(i));
  largest = combine_in_team<Maximum>(largest, blocks);
  accumulator sum = 0;
  const std::int64_t several = terms_of_thread * blocks.team;
  for (std::int64_t begin = share.begin; begin < share.end; begin += several) {
    // A long sum in single precision would lose more than the sum of short ones.
    accumulator part = 0;
    for (std::int64_t i = begin; i < smaller(begin + several, share.end); i += blocks.team)
      part += std::exp(value(i) - largest);
    sum += part;
  }
  return {largest, combine_in_team<Add>(sum, blocks)};
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

template <class Function>
__global__ void softmax_kernel(Function function, const element* input, element* output, SetBlocks blocks) {
  const Share share = share_of(blocks);
  const SoftmaxSums sums = softmax_sums(input, share, blocks);
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team) {
    const std::int64_t offset = blocks.sets.offset(share.set, i);
    output[offset] = static_cast<element>(function(static_cast<accumulator>(input[offset]), sums));
  }
}

// softmax(Softmax(), ...) or softmax(LogSoftmax(), ...).
template <class Function>
void softmax(const Function& function, const element* input, element* output, const Sets& sets) {
  const SetBlocks blocks = whole_sets(sets);
  softmax_kernel<<<blocks.count(), threads_per_block>>>(function, input, output, blocks);
}

}  // namespace ops
