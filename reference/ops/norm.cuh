// Batch normalisation with the statistics of the batch (PyTorch's BatchNorm in training mode, without running
// statistics) and group normalisation (PyTorch's GroupNorm):
//
//   output = (input - mean) / sqrt(variance + epsilon) * weight[channel] + bias[channel]
//
// with the biased variance: the mean of the squared deviations. They differ in the values that are normalised
// together: those of one channel over the whole batch, or those of a group of channels in one sample. One
// block normalises one such set and passes over it three times: mean, variance, result.
// Sources: Ioffe and Szegedy 2015 (batch), Wu and He 2018 (group).
#pragma once

#include <cmath>

#include "ops/launch.cuh"

namespace ops {

// A tensor (batch, channels, positions).
struct NormShape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t positions = 1;
};

// The planes that are normalised together: `count` of them, each `step` planes after the one before it.
struct PlaneSet {
  std::int64_t first = 0;
  std::int64_t count = 1;
  std::int64_t step = 1;

  __device__ std::int64_t plane(std::int64_t n) const { return first + n * step; }
};

// The sum of one value from each thread of the block, added in the same order every time.
__device__ inline accumulator block_sum(accumulator value) {
  __shared__ accumulator partial[threads_per_block];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const accumulator sum = partial[0];
  __syncthreads();  // before the next call writes to `partial`
  return sum;
}

__device__ inline accumulator mean_of_planes(const accumulator* input, const PlaneSet& set,
                                             std::int64_t positions) {
  accumulator sum = 0;
  for (std::int64_t n = 0; n < set.count; ++n) {
    const accumulator* plane = input + set.plane(n) * positions;
    for (std::int64_t i = threadIdx.x; i < positions; i += blockDim.x) sum += plane[i];
  }
  return block_sum(sum) / static_cast<accumulator>(set.count * positions);
}

__device__ inline accumulator variance_of_planes(const accumulator* input, const PlaneSet& set,
                                                 std::int64_t positions, accumulator mean) {
  accumulator sum = 0;
  for (std::int64_t n = 0; n < set.count; ++n) {
    const accumulator* plane = input + set.plane(n) * positions;
    for (std::int64_t i = threadIdx.x; i < positions; i += blockDim.x) {
      sum += (plane[i] - mean) * (plane[i] - mean);
    }
  }
  return block_sum(sum) / static_cast<accumulator>(set.count * positions);
}

template <class Output>
__device__ void normalise_planes(const accumulator* input, const element* weight, const element* bias,
                                 Output* output, const PlaneSet& set, const NormShape& shape,
                                 double epsilon) {
  const accumulator mean = mean_of_planes(input, set, shape.positions);
  const accumulator variance = variance_of_planes(input, set, shape.positions, mean);
  const accumulator deviation = std::sqrt(variance + static_cast<accumulator>(epsilon));
  for (std::int64_t n = 0; n < set.count; ++n) {
    const std::int64_t channel = set.plane(n) % shape.channels;
    const accumulator scale = static_cast<accumulator>(weight[channel]);
    const accumulator shift = static_cast<accumulator>(bias[channel]);
    const std::int64_t start = set.plane(n) * shape.positions;
    for (std::int64_t i = threadIdx.x; i < shape.positions; i += blockDim.x) {
      output[start + i] = static_cast<Output>((input[start + i] - mean) / deviation * scale + shift);
    }
  }
}

// Block b normalises channel b over all samples.
template <class Output>
__global__ void batch_norm_kernel(const accumulator* input, const element* weight, const element* bias,
                                  Output* output, NormShape shape, double epsilon) {
  PlaneSet set;
  set.first = blockIdx.x;
  set.count = shape.batch;
  set.step = shape.channels;
  normalise_planes(input, weight, bias, output, set, shape, epsilon);
}

// Block b normalises group b, counted over all samples.
template <class Output>
__global__ void group_norm_kernel(const accumulator* input, const element* weight, const element* bias,
                                  Output* output, NormShape shape, std::int64_t channels_of_a_group,
                                  double epsilon) {
  PlaneSet set;
  set.first = blockIdx.x * channels_of_a_group;
  set.count = channels_of_a_group;
  normalise_planes(input, weight, bias, output, set, shape, epsilon);
}

// `output` may be `input`.
template <class Output>
void batch_norm(const accumulator* input, const element* weight, const element* bias, Output* output,
                const NormShape& shape, double epsilon) {
  const auto blocks = static_cast<unsigned>(shape.channels);
  batch_norm_kernel<<<blocks, threads_per_block>>>(input, weight, bias, output, shape, epsilon);
}

template <class Output>
void group_norm(const accumulator* input, const element* weight, const element* bias, Output* output,
                const NormShape& shape, std::int64_t groups, double epsilon) {
  const auto blocks = static_cast<unsigned>(shape.batch * groups);
  group_norm_kernel<<<blocks, threads_per_block>>>(input, weight, bias, output, shape,
                                                   shape.channels / groups, epsilon);
}

}  // namespace ops
