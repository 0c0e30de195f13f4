// Normalisation of sets of values to mean 0 and variance 1:
//
//   output = (input - mean) / sqrt(variance + epsilon) * weight + bias
//
// with the biased variance: the mean of the squared deviations. The normalisations of PyTorch differ in the
// values that are normalised together, and in the values that share a weight and a bias. Sources: Ioffe and
// Szegedy 2015 (batch), Ba, Kiros and Hinton 2016 (layer), Ulyanov, Vedaldi and Lempitsky 2016 (instance), Wu
// and He 2018 (group).
#pragma once

#include <cmath>

#include "ops/sets.cuh"

namespace ops {

// A weight and a bias for each channel of a tensor (batch, channels, positions).
struct ChannelAffine {
  const element* weight;
  const element* bias;
  std::int64_t channels;
  std::int64_t positions;

  __device__ accumulator operator()(accumulator x, std::int64_t offset) const {
    const std::int64_t channel = offset / positions % channels;
    return x * static_cast<accumulator>(weight[channel]) + static_cast<accumulator>(bias[channel]);
  }
};

// A weight and a bias for each element of a sample.
struct ElementAffine {
  const element* weight;
  const element* bias;
  std::int64_t elements;

  __device__ accumulator operator()(accumulator x, std::int64_t offset) const {
    const std::int64_t i = offset % elements;
    return x * static_cast<accumulator>(weight[i]) + static_cast<accumulator>(bias[i]);
  }
};

struct NoAffine {
  __device__ accumulator operator()(accumulator x, std::int64_t) const { return x; }
};

template <class Input>
struct Value {
  const Input* input;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const {
    return static_cast<accumulator>(input[offset]);
  }
};

template <class Input>
struct SquaredDeviation {
  const Input* input;
  const accumulator* sums;
  accumulator size;

  __device__ accumulator operator()(std::int64_t offset, std::int64_t set) const {
    const accumulator deviation = static_cast<accumulator>(input[offset]) - sums[set] / size;
    return deviation * deviation;
  }
};

template <class Input, class Affine, class Output>
__global__ void standardise_kernel(const Input* input, const accumulator* sums, const accumulator* squares,
                                   Affine affine, Output* output, SetBlocks blocks, double epsilon) {
  const Share share = share_of(blocks);
  if (share.begin >= share.end) return;
  const accumulator size = static_cast<accumulator>(blocks.sets.size());
  const accumulator mean = sums[share.set] / size;
  const accumulator deviation = std::sqrt(squares[share.set] / size + static_cast<accumulator>(epsilon));
  for (std::int64_t i = share.begin; i < share.end; i += blocks.team) {
    const std::int64_t at = blocks.sets.offset(share.set, i);
    output[at] = static_cast<Output>(affine((static_cast<accumulator>(input[at]) - mean) / deviation, at));
  }
}

// Three passes: sums, sums of squared deviations, result. `output` may be `input`.
template <class Input, class Affine, class Output>
void standardise(const Input* input, const Affine& affine, Output* output, const Sets& sets, double epsilon) {
  const Intermediate sums(sets.count());
  const Intermediate squares(sets.count());
  if (sums.data() == nullptr || squares.data() == nullptr) return;
  sum_sets(Value<Input>{input}, sums.data(), sets);
  const auto size = static_cast<accumulator>(sets.size());
  sum_sets(SquaredDeviation<Input>{input, sums.data(), size}, squares.data(), sets);
  const SetBlocks blocks = chunks_of_sets(sets);
  standardise_kernel<<<blocks.count(), threads_per_block>>>(input, sums.data(), squares.data(), affine,
                                                            output, blocks, epsilon);
}

// A tensor (batch, channels, positions).
struct NormShape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t positions = 1;
};

// The values of a channel over the whole batch belong together.
inline Sets channels_of_the_batch(const NormShape& shape) {
  Sets sets;
  sets.length = shape.batch;
  sets.inner = shape.channels;
  sets.run = shape.positions;
  return sets;
}

// The values of a group of channels of one sample belong together.
inline Sets groups_of_a_sample(const NormShape& shape, std::int64_t groups) {
  Sets sets;
  sets.outer = shape.batch * groups;
  sets.run = shape.channels / groups * shape.positions;
  return sets;
}

// Normalises with the statistics of the batch, as PyTorch's BatchNorm in training mode without running
// statistics.
template <class Input, class Output>
void batch_norm(const Input* input, const element* weight, const element* bias, Output* output,
                const NormShape& shape, double epsilon) {
  const ChannelAffine affine{weight, bias, shape.channels, shape.positions};
  standardise(input, affine, output, channels_of_the_batch(shape), epsilon);
}

template <class Input, class Output>
void group_norm(const Input* input, const element* weight, const element* bias, Output* output,
                const NormShape& shape, std::int64_t groups, double epsilon) {
  const ChannelAffine affine{weight, bias, shape.channels, shape.positions};
  standardise(input, affine, output, groups_of_a_sample(shape, groups), epsilon);
}

}  // namespace ops
