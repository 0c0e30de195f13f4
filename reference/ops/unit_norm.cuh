// Divides sets of values by a measure of their size: the root of their mean square, the sum or the mean of
// their absolute values, or their Euclidean length. Source of the first: Zhang and Sennrich 2019 (RMSNorm).
#pragma once

#include <cmath>

#include "ops/sets.cuh"

namespace ops {

struct Square {
  __device__ accumulator operator()(accumulator x) const { return x * x; }
};

struct Absolute {
  __device__ accumulator operator()(accumulator x) const { return std::fabs(x); }
};

// Computes a measure from the sum of squares or absolute values of a set of `size` values.
struct RootMeanSquare {
  accumulator epsilon;
  __device__ accumulator operator()(accumulator sum, accumulator size) const {
    return std::sqrt(sum / size + epsilon);
  }
};

struct EuclideanLength {
  accumulator epsilon;
  __device__ accumulator operator()(accumulator sum, accumulator) const { return std::sqrt(sum) + epsilon; }
};

struct SumOfAll {
  accumulator epsilon;
  __device__ accumulator operator()(accumulator sum, accumulator) const { return sum + epsilon; }
};

struct MeanOfAll {
  __device__ accumulator operator()(accumulator sum, accumulator size) const { return sum / size; }
};

template <class Function>
struct FunctionOfElement {
  const element* input;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const {
    return Function()(static_cast<accumulator>(input[offset]));
  }
};

template <class Measure>
__global__ void divide_kernel(const element* input, const accumulator* sums, Measure measure, element* output,
                              SetBlocks blocks) {
  const Share share = share_of(blocks);
  if (share.begin >= share.end) return;
  const accumulator divisor = measure(sums[share.set], static_cast<accumulator>(blocks.sets.size()));
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team) {
    const std::int64_t at = blocks.sets.offset(share.set, i);
    output[at] = static_cast<element>(static_cast<accumulator>(input[at]) / divisor);
  }
}

// unit_norm<Square>(input, RootMeanSquare{1e-5}, output, sets): Function is applied to each value before they
// are added.
template <class Function, class Measure>
void unit_norm(const element* input, const Measure& measure, element* output, const Sets& sets) {
  const Intermediate sums(sets.count());
  if (sums.data() == nullptr) return;
  sum_sets(FunctionOfElement<Function>{input}, sums.data(), sets);
  const SetBlocks blocks = chunks_of_sets(sets);
  divide_kernel<<<blocks.count(), threads_per_block>>>(input, sums.data(), measure, output, blocks);
}

}  // namespace ops
