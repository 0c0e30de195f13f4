// Convolution in 1, 2 and 3 dimensions as PyTorch's Conv1d, Conv2d and Conv3d define it: a cross-correlation,
// the kernel is not flipped.
//
//   output[b][o][p] =
//       sum over c, k of input[b][c][p * stride - padding + k * dilation] * weight[o][c][k], plus bias[o]
//
// for every axis alike; positions outside the input count as zero. The output channels fall into `groups`
// equal parts, each of which sees its own part of the input channels.
// Layout: input (batch, in_channels, ...), weight (out_channels, in_channels / groups, ...).
#pragma once

#include "ops/conv_shape.cuh"
#include "ops/launch.cuh"

namespace ops {

inline Axis conv_axis(std::size_t input, std::size_t kernel, std::size_t stride, std::size_t padding,
                      std::size_t dilation) {
  Axis axis;
  axis.input = static_cast<int>(input);
  axis.kernel = static_cast<int>(kernel);
  axis.stride = static_cast<int>(stride);
  axis.padding = static_cast<int>(padding);
  axis.dilation = static_cast<int>(dilation);
  axis.output = (axis.input + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1) / axis.stride + 1;
  return axis;
}

// The input position that tap `tap` of the kernel reads for an output position, or -1 outside the input.
__device__ inline int conv_source(const Axis& axis, int output, int tap) {
  const int position = output * axis.stride - axis.padding + tap * axis.dilation;
  return position >= 0 && position < axis.input ? position : -1;
}

template <int Positions, int Channels, class Input, class Output>
__global__ void __launch_bounds__(threads_per_block, 2)
    conv_kernel(const Input* input, const element* weight, const element* bias, Output* output,
                ConvShape shape) {
  if (position_in_plane() >= first_positions(shape, Positions)) return;
  const int position = static_cast<int>(position_in_plane());
  const int apart = columns_apart(shape.width, Positions);
  const int x = position % apart;
  const int y = position / apart % shape.height.output;
  const int z = position / apart / shape.height.output;
  WeightSteps steps;
  steps.input = shape.kernel_elements();
  steps.output = static_cast<std::int64_t>(shape.in_channels_of_a_group()) * shape.kernel_elements();

  const std::int64_t runs = shape.batch * shape.groups * runs_of_a_group(shape, Channels);
  for (std::int64_t number = blockIdx.y; number < runs; number += gridDim.y) {
    const ChannelRun run = channel_run(shape, Channels, number);
    const std::int64_t first_channel = run.group * shape.in_channels_of_a_group();
    const Input* inputs = input + (run.sample * shape.in_channels + first_channel) * shape.input_positions();
    const std::int64_t first_output = run.group * shape.out_channels_of_a_group() + run.first;
    const element* weights = weight + first_output * steps.output;

    accumulator sums[Positions][Channels] = {};
    for (int kz = 0; kz < shape.depth.kernel; ++kz) {
      const int iz = conv_source(shape.depth, z, kz);
      if (iz < 0) continue;
      for (int ky = 0; ky < shape.height.kernel; ++ky) {
        const int iy = conv_source(shape.height, y, ky);
        if (iy < 0) continue;
        for (int kx = 0; kx < shape.width.kernel; ++kx) {
          int sources[Positions];
          bool any = false;
          for (int p = 0; p < Positions; ++p) {
            const int ix =
                x + p * apart < shape.width.output ? conv_source(shape.width, x + p * apart, kx) : -1;
            sources[p] = ix < 0 ? -1 : (iz * shape.height.input + iy) * shape.width.input + ix;
            any = any || ix >= 0;
          }
          if (!any) continue;
          const int tap = (kz * shape.height.kernel + ky) * shape.width.kernel + kx;
          add_over_channels(inputs, sources, shape.input_positions(), weights + tap, steps,
                            shape.in_channels_of_a_group(), run.count, sums);
        }
      }
    }
    const int row = (z * shape.height.output + y) * shape.width.output;
#pragma unroll
    for (int n = 0; n < Channels; ++n) {
      if (n >= run.count) break;
      const std::int64_t out_channel = run.group * shape.out_channels_of_a_group() + run.first + n;
      const accumulator added =
          bias != nullptr ? static_cast<accumulator>(bias[out_channel]) : accumulator(0);
      Output* const plane = output + run.output_plane(shape, n) * shape.output_positions();
#pragma unroll
      for (int p = 0; p < Positions; ++p) {
        const int column = x + p * apart;
        if (column < shape.width.output) plane[row + column] = static_cast<Output>(sums[p][n] + added);
      }
    }
  }
}

// Without bias where `bias` is null.
template <class Input, class Output>
void conv(const Input* input, const element* weight, Output* output, const ConvShape& shape,
          const element* bias = nullptr) {
  const int channels = channels_at_once(shape), positions = positions_at_once(shape);
  const dim3 grid = plane_grid(channel_runs(shape, channels), first_positions(shape, positions));
  const auto launch = [&](auto kernel) {
    kernel<<<grid, threads_per_block>>>(input, weight, bias, output, shape);
  };
  if (channels == 1) {
    launch(conv_kernel<1, 1, Input, Output>);
  } else if (positions == 1) {
    launch(conv_kernel<1, most_channels_at_once, Input, Output>);
  } else {
    launch(conv_kernel<most_positions_at_once, most_channels_at_once, Input, Output>);
  }
}

}  // namespace ops
