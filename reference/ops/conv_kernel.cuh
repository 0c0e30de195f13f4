// The kernel for convolutions and transposed convolutions. These differ only in which inputs a tap carries to
// an output, and in the layout of the weights.
#pragma once

#include "ops/conv_shape.cuh"
#include "ops/launch.cuh"

namespace ops {

// A thread computes several output channels of a group at the same position, so that it loads each input once
// for all of them. In small groups it computes one.
constexpr int most_channels_at_once = 8;
// It also computes several positions of a row, so that it loads each weight, and finds its addresses, once
// for all of them. Their number is limited by the registers for the sums.
constexpr int positions_at_once = sizeof(accumulator) > 4 ? 2 : 4;
// All taps go over this many input channels before they go over the next ones, so that their inputs stay in
// the L1 cache.
constexpr int channels_a_pass = 8;

inline int channels_at_once(const ConvShape& shape) {
  return shape.out_channels_of_a_group() < most_channels_at_once / 2 ? 1 : most_channels_at_once;
}

// The layout of the weights: the distance to the next group, input channel and output channel.
struct WeightSteps {
  std::int64_t group = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;
};

// The positions of a thread in an output plane: in one row, `apart` from each other. The stride divides this
// distance, so in a transposed convolution the same taps reach all of them.
struct Positions {
  int x = 0;  // of the first
  int y = 0;
  int z = 0;
  int apart = 0;
};

__host__ __device__ inline int columns_apart(const Axis& width) {
  const int columns = (width.output + positions_at_once - 1) / positions_at_once;
  return (columns + width.stride - 1) / width.stride * width.stride;
}

// The number of threads for a plane.
__host__ __device__ inline int first_positions(const ConvShape& shape) {
  return shape.depth.output * shape.height.output * columns_apart(shape.width);
}

__device__ inline Positions positions_of(const ConvShape& shape, int number) {
  const int apart = columns_apart(shape.width);
  return {number % apart, number / apart % shape.height.output, number / apart / shape.height.output, apart};
}

// Neighbouring output channels of one group and sample.
struct ChannelRun {
  std::int64_t sample = 0;
  std::int64_t group = 0;
  int first = 0;  // within the group
  int count = 0;

  __device__ std::int64_t output_channel(const ConvShape& shape, int n) const {
    return group * shape.out_channels_of_a_group() + first + n;
  }
};

__host__ __device__ inline std::int64_t channel_runs(const ConvShape& shape, int at_once) {
  return shape.batch * shape.groups * ((shape.out_channels_of_a_group() + at_once - 1) / at_once);
}

__device__ inline ChannelRun channel_run(const ConvShape& shape, int at_once, std::int64_t number) {
  const std::int64_t runs = channel_runs(shape, at_once) / shape.batch / shape.groups;
  ChannelRun run;
  run.sample = number / runs / shape.groups;
  run.group = number / runs % shape.groups;
  run.first = static_cast<int>(number % runs) * at_once;
  run.count = min(at_once, shape.out_channels_of_a_group() - run.first);
  return run;
}

// Adds to `sums`, for the run's output channels, the products of one kernel element with the inputs that it
// carries to a thread's positions, over `channels` input channels. `sources` are positions in an input plane,
// or -1 for none. Sums past the end of the run are neither used nor harmful.
template <int Channels, class Input>
__device__ void add_over_channels(const Input* input, const int (&sources)[positions_at_once],
                                  std::int64_t input_step, const element* weight, const WeightSteps& steps,
                                  int channels, int count, accumulator (&sums)[positions_at_once][Channels]) {
#pragma unroll 2
  for (int c = 0; c < channels; ++c) {
    accumulator values[positions_at_once];
#pragma unroll
    for (int p = 0; p < positions_at_once; ++p)
      values[p] = sources[p] < 0 ? accumulator(0) : static_cast<accumulator>(input[sources[p]]);
#pragma unroll
    for (int n = 0; n < Channels; ++n) {
      const auto factor = static_cast<accumulator>(weight[min(n, count - 1) * steps.output]);
#pragma unroll
      for (int p = 0; p < positions_at_once; ++p) sums[p][n] += values[p] * factor;
    }
    input += input_step;
    weight += steps.input;
  }
}

// The number of a kernel element among the weights of its channels.
__device__ inline int tap_number(const ConvShape& shape, int kz, int ky, int kx) {
  return (kz * shape.height.kernel + ky) * shape.width.kernel + kx;
}

// Like add_over_channels(), for all kernel elements. `Source` gives the input position on an axis that a tap
// carries to an output position, or -1 for none.
template <class Source, int Channels, class Input>
__device__ void add_over_taps(const Input* input, const element* weight, const ConvShape& shape,
                              const WeightSteps& steps, const Positions& at, int channels, int count,
                              accumulator (&sums)[positions_at_once][Channels]) {
  const Source source;
  for (int kz = 0; kz < shape.depth.kernel; ++kz) {
    const int iz = source(shape.depth, at.z, kz);
    if (iz < 0) continue;
    for (int ky = 0; ky < shape.height.kernel; ++ky) {
      const int iy = source(shape.height, at.y, ky);
      if (iy < 0) continue;
      for (int kx = 0; kx < shape.width.kernel; ++kx) {
        int sources[positions_at_once];
        bool any = false;
        for (int p = 0; p < positions_at_once; ++p) {
          const int x = at.x + p * at.apart;
          const int ix = x < shape.width.output ? source(shape.width, x, kx) : -1;
          sources[p] = ix < 0 ? -1 : (iz * shape.height.input + iy) * shape.width.input + ix;
          any = any || ix >= 0;
        }
        if (!any) continue;
        add_over_channels(input, sources, shape.input_positions(), weight + tap_number(shape, kz, ky, kx),
                          steps, channels, count, sums);
      }
    }
  }
}

// Like add_over_taps(), for one output channel. No input is needed twice, so the taps of a kernel row follow
// each other, with little computation between them.
template <class Source, class Input>
__device__ void add_over_rows(const Input* input, const element* weight, const ConvShape& shape,
                              const WeightSteps& steps, const Positions& at, int channels,
                              accumulator (&sums)[positions_at_once][1]) {
  const Source source;
  for (int c = 0; c < channels; ++c, input += shape.input_positions(), weight += steps.input) {
    for (int kz = 0; kz < shape.depth.kernel; ++kz) {
      const int iz = source(shape.depth, at.z, kz);
      if (iz < 0) continue;
      for (int ky = 0; ky < shape.height.kernel; ++ky) {
        const int iy = source(shape.height, at.y, ky);
        if (iy < 0) continue;
        const Input* const row = input + (iz * shape.height.input + iy) * shape.width.input;
        const element* const factors = weight + tap_number(shape, kz, ky, 0);
        accumulator of_row[positions_at_once] = {};
        for (int kx = 0; kx < shape.width.kernel; ++kx) {
          const auto factor = static_cast<accumulator>(factors[kx]);
#pragma unroll
          for (int p = 0; p < positions_at_once; ++p) {
            // Positions past the end of the row get the sum of the last one, which is not written.
            const int x = min(at.x + p * at.apart, shape.width.output - 1);
            const int ix = source(shape.width, x, kx);
            of_row[p] += (ix < 0 ? accumulator(0) : static_cast<accumulator>(row[ix])) * factor;
          }
        }
#pragma unroll
        for (int p = 0; p < positions_at_once; ++p) sums[p][0] += of_row[p];
      }
    }
  }
}

// Adds `bias`, unless it is null, and writes the positions that are in the plane.
template <int Channels, class Output>
__device__ void write_outputs(const accumulator (&sums)[positions_at_once][Channels], const element* bias,
                              Output* output, const ConvShape& shape, const Positions& at,
                              const ChannelRun& run) {
#pragma unroll
  for (int n = 0; n < Channels; ++n) {
    if (n >= run.count) break;
    const std::int64_t channel = run.output_channel(shape, n);
    const accumulator added = bias != nullptr ? static_cast<accumulator>(bias[channel]) : accumulator(0);
    Output* const row = output + (run.sample * shape.out_channels + channel) * shape.output_positions() +
                        (at.z * shape.height.output + at.y) * shape.width.output;
#pragma unroll
    for (int p = 0; p < positions_at_once; ++p) {
      const int x = at.x + p * at.apart;
      if (x < shape.width.output) row[x] = static_cast<Output>(sums[p][n] + added);
    }
  }
}

// Adds the sums of one pass to the total. These sums are short, and lose less precision than long ones.
template <int Channels>
__device__ void add_and_clear(accumulator (&sums)[positions_at_once][Channels],
                              accumulator (&pass)[positions_at_once][Channels]) {
#pragma unroll
  for (int p = 0; p < positions_at_once; ++p) {
#pragma unroll
    for (int n = 0; n < Channels; ++n) {
      sums[p][n] += pass[p][n];
      pass[p][n] = 0;
    }
  }
}

template <class Source, int Channels, class Input, class Output>
__global__ void __launch_bounds__(threads_per_block, Channels == 1 ? 4 : 2)
    convolution_kernel(const Input* input, const element* weight, const element* bias, Output* output,
                       ConvShape shape, WeightSteps steps) {
  if (position_in_plane() >= first_positions(shape)) return;
  const Positions at = positions_of(shape, static_cast<int>(position_in_plane()));
  const std::int64_t plane = shape.input_positions();
  const int channels = shape.in_channels_of_a_group();

  const std::int64_t runs = channel_runs(shape, Channels);
  for (std::int64_t number = blockIdx.y; number < runs; number += gridDim.y) {
    const ChannelRun run = channel_run(shape, Channels, number);
    const Input* const inputs = input + (run.sample * shape.in_channels + run.group * channels) * plane;
    const element* const weights = weight + run.group * steps.group + run.first * steps.output;
    accumulator sums[positions_at_once][Channels] = {};
    accumulator pass[positions_at_once][Channels] = {};
    for (int c = 0; c < channels; c += channels_a_pass) {
      const int channels_now = min(channels_a_pass, channels - c);
      const Input* const inputs_now = inputs + c * plane;
      const element* const weights_now = weights + c * steps.input;
      if constexpr (Channels == 1) {
        add_over_rows<Source>(inputs_now, weights_now, shape, steps, at, channels_now, pass);
      } else {
        add_over_taps<Source>(inputs_now, weights_now, shape, steps, at, channels_now, run.count, pass);
      }
      add_and_clear(sums, pass);
    }
    write_outputs(sums, bias, output, shape, at, run);
  }
}

// Without a bias if `bias` is null.
template <class Source, class Input, class Output>
void convolve(const Input* input, const element* weight, const element* bias, Output* output,
              const ConvShape& shape, const WeightSteps& steps) {
  const int channels = channels_at_once(shape);
  const dim3 grid = plane_grid(channel_runs(shape, channels), first_positions(shape));
  const auto launch = [&](auto kernel) {
    kernel<<<grid, threads_per_block>>>(input, weight, bias, output, shape, steps);
  };
  if (channels == 1) {
    launch(convolution_kernel<Source, 1, Input, Output>);
  } else {
    launch(convolution_kernel<Source, most_channels_at_once, Input, Output>);
  }
}

}  // namespace ops
