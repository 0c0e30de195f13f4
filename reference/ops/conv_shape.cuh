// What a convolution and a transposed convolution have in common.
//
// There is one definition for 1, 2 and 3 dimensions: an axis that is left alone has extent 1 and kernel 1,
// and so changes nothing. Extents of one axis and positions of one plane have to fit an int; offsets into
// tensors are 64 bits wide.
#pragma once

#include "ops/types.cuh"

namespace ops {

// The parameters of one spatial axis.
struct Axis {
  int input = 1;
  int output = 1;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  int dilation = 1;
};

struct ConvShape {
  std::int64_t batch = 1;
  int in_channels = 1;
  int out_channels = 1;
  int groups = 1;
  Axis depth;
  Axis height;
  Axis width;

  __host__ __device__ int input_positions() const { return depth.input * height.input * width.input; }
  __host__ __device__ int output_positions() const { return depth.output * height.output * width.output; }
  __host__ __device__ int kernel_elements() const { return depth.kernel * height.kernel * width.kernel; }
  __host__ __device__ int in_channels_of_a_group() const { return in_channels / groups; }
  __host__ __device__ int out_channels_of_a_group() const { return out_channels / groups; }
  __host__ __device__ std::int64_t output_planes() const { return batch * out_channels; }
};

// Its axes are still to be set.
inline ConvShape conv_shape(std::size_t batch, std::size_t in_channels, std::size_t out_channels,
                            std::size_t groups) {
  ConvShape shape;
  shape.batch = static_cast<std::int64_t>(batch);
  shape.in_channels = static_cast<int>(in_channels);
  shape.out_channels = static_cast<int>(out_channels);
  shape.groups = static_cast<int>(groups);
  return shape;
}

// A thread computes several output channels of a group at the same position: what it loads of the input
// serves all of them. Where groups are small, one.
constexpr int most_channels_at_once = 8;
// And where rows are long it does so at several positions of a row: what it loads of the weights serves all
// of them. As many as there are registers for their sums.
constexpr int most_positions_at_once = sizeof(accumulator) > 4 ? 2 : 4;
constexpr int shortest_long_row = 32;

inline int channels_at_once(const ConvShape& shape) {
  return shape.out_channels_of_a_group() < most_channels_at_once / 2 ? 1 : most_channels_at_once;
}

inline int positions_at_once(const ConvShape& shape) {
  const bool worthwhile = channels_at_once(shape) > 1 && shape.width.output >= shortest_long_row;
  return worthwhile ? most_positions_at_once : 1;
}

// A thread's positions are that far apart. The stride divides it, so that in a transposed convolution the
// same taps reach all of them.
__host__ __device__ inline int columns_apart(const Axis& width, int at_once) {
  const int columns = (width.output + at_once - 1) / at_once;
  return (columns + width.stride - 1) / width.stride * width.stride;
}

// The first positions of all threads' in a plane.
__host__ __device__ inline int first_positions(const ConvShape& shape, int at_once) {
  return shape.depth.output * shape.height.output * columns_apart(shape.width, at_once);
}

// Neighbouring output channels of one group and sample.
struct ChannelRun {
  std::int64_t sample = 0;
  std::int64_t group = 0;
  int first = 0;  // within the group
  int count = 0;

  __device__ std::int64_t output_plane(const ConvShape& shape, int n) const {
    return sample * shape.out_channels + group * shape.out_channels_of_a_group() + first + n;
  }
};

__host__ __device__ inline std::int64_t runs_of_a_group(const ConvShape& shape, int at_once) {
  return (shape.out_channels_of_a_group() + at_once - 1) / at_once;
}

inline std::int64_t channel_runs(const ConvShape& shape, int at_once) {
  return shape.batch * shape.groups * runs_of_a_group(shape, at_once);
}

__device__ inline ChannelRun channel_run(const ConvShape& shape, int at_once, std::int64_t number) {
  const std::int64_t runs = runs_of_a_group(shape, at_once);
  ChannelRun run;
  run.sample = number / runs / shape.groups;
  run.group = number / runs % shape.groups;
  run.first = static_cast<int>(number % runs) * at_once;
  run.count = min(at_once, shape.out_channels_of_a_group() - run.first);
  return run;
}

// How the weights lie: from one input channel to the next, and from one output channel to the next.
struct WeightSteps {
  std::int64_t input = 0;
  std::int64_t output = 0;
};

// Adds to `sums` what one kernel element and the inputs that it takes to a thread's positions give to the
// run's output channels, over the `channels` input channels of a group. `sources` are places in a plane of
// the input, or -1 for none. Sums past the run's end are of no use, nor do they harm.
template <int Positions, int Channels, class Input>
__device__ void add_over_channels(const Input* input, const int (&sources)[Positions],
                                  std::int64_t input_step, const element* weight, const WeightSteps& steps,
                                  int channels, int count, accumulator (&sums)[Positions][Channels]) {
  accumulator partial[Positions][Channels] = {};
  for (int c = 0; c < channels; ++c) {
    accumulator values[Positions];
#pragma unroll
    for (int p = 0; p < Positions; ++p)
      values[p] = sources[p] < 0 ? accumulator(0) : static_cast<accumulator>(input[sources[p]]);
#pragma unroll
    for (int n = 0; n < Channels; ++n) {
      const auto factor = static_cast<accumulator>(weight[min(n, count - 1) * steps.output]);
#pragma unroll
      for (int p = 0; p < Positions; ++p) partial[p][n] += values[p] * factor;
    }
    input += input_step;
    weight += steps.input;
  }
#pragma unroll
  for (int p = 0; p < Positions; ++p) {
#pragma unroll
    for (int n = 0; n < Channels; ++n) sums[p][n] += partial[p][n];
  }
}

}  // namespace ops
