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

template <int AtOnce, class Input, class Output>
__global__ void conv_kernel(const Input* input, const element* weight, const element* bias, Output* output,
                            ConvShape shape) {
  if (position_in_plane() >= shape.output_positions()) return;
  const int position = static_cast<int>(position_in_plane());
  const int x = position % shape.width.output;
  const int y = position / shape.width.output % shape.height.output;
  const int z = position / shape.width.output / shape.height.output;
  WeightSteps steps;
  steps.input = shape.kernel_elements();
  steps.output = static_cast<std::int64_t>(shape.in_channels_of_a_group()) * shape.kernel_elements();

  const std::int64_t runs = shape.batch * shape.groups * runs_of_a_group(shape, AtOnce);
  for (std::int64_t number = blockIdx.y; number < runs; number += gridDim.y) {
    const ChannelRun run = channel_run(shape, AtOnce, number);
    const std::int64_t first_channel = run.group * shape.in_channels_of_a_group();
    const Input* inputs = input + (run.sample * shape.in_channels + first_channel) * shape.input_positions();
    const std::int64_t first_output = run.group * shape.out_channels_of_a_group() + run.first;
    const element* weights = weight + first_output * steps.output;

    accumulator sums[AtOnce] = {};
    for (int kz = 0; kz < shape.depth.kernel; ++kz) {
      const int iz = conv_source(shape.depth, z, kz);
      if (iz < 0) continue;
      for (int ky = 0; ky < shape.height.kernel; ++ky) {
        const int iy = conv_source(shape.height, y, ky);
        if (iy < 0) continue;
        for (int kx = 0; kx < shape.width.kernel; ++kx) {
          const int ix = conv_source(shape.width, x, kx);
          if (ix < 0) continue;
          const int source = (iz * shape.height.input + iy) * shape.width.input + ix;
          const int tap = (kz * shape.height.kernel + ky) * shape.width.kernel + kx;
          add_over_channels(inputs + source, shape.input_positions(), weights + tap, steps,
                            shape.in_channels_of_a_group(), run.count, sums);
        }
      }
    }
    for (int n = 0; n < run.count; ++n) {
      const std::int64_t out_channel = run.group * shape.out_channels_of_a_group() + run.first + n;
      if (bias != nullptr) sums[n] += static_cast<accumulator>(bias[out_channel]);
      output[run.output_plane(shape, n) * shape.output_positions() + position] = static_cast<Output>(sums[n]);
    }
  }
}

// Without bias where `bias` is null.
template <class Input, class Output>
void conv(const Input* input, const element* weight, Output* output, const ConvShape& shape,
          const element* bias = nullptr) {
  const int at_once = channels_at_once(shape);
  const dim3 grid = plane_grid(channel_runs(shape, at_once), shape.output_positions());
  if (at_once == 1) {
    conv_kernel<1><<<grid, threads_per_block>>>(input, weight, bias, output, shape);
  } else {
    conv_kernel<most_channels_at_once><<<grid, threads_per_block>>>(input, weight, bias, output, shape);
  }
}

}  // namespace ops
