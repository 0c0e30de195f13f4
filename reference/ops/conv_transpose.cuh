// Transposed convolution in 1, 2 and 3 dimensions, without bias, as PyTorch's ConvTranspose1d,
// ConvTranspose2d and ConvTranspose3d define it: the gradient of a convolution with respect to its input.
//
// Every input value spreads over the output: input position i adds input[i] * weight[k] to output position
// i * stride - padding + k * dilation, for every tap k and every axis alike; what falls outside is dropped.
// Output padding only makes the output longer, at its end. Here each thread gathers what reaches one output
// position p: the taps k for which p + padding - k * dilation is a multiple of the stride, and their inputs
// i = (p + padding - k * dilation) / stride.
// Layout: input (batch, in_channels, ...), weight (in_channels, out_channels / groups, ...).
#pragma once

#include "ops/conv_shape.cuh"
#include "ops/launch.cuh"

namespace ops {

inline Axis conv_transpose_axis(std::size_t input, std::size_t kernel, std::size_t stride,
                                std::size_t padding, std::size_t output_padding, std::size_t dilation) {
  Axis axis;
  axis.input = static_cast<int>(input);
  axis.kernel = static_cast<int>(kernel);
  axis.stride = static_cast<int>(stride);
  axis.padding = static_cast<int>(padding);
  axis.dilation = static_cast<int>(dilation);
  axis.output = (axis.input - 1) * axis.stride - 2 * axis.padding + axis.dilation * (axis.kernel - 1) +
                static_cast<int>(output_padding) + 1;
  return axis;
}

// The input position that tap `tap` of the kernel carries to an output position, or -1 if there is none.
__device__ inline int conv_transpose_source(const Axis& axis, int output, int tap) {
  const int distance = output + axis.padding - tap * axis.dilation;
  if (distance < 0 || distance % axis.stride != 0) return -1;
  const int position = distance / axis.stride;
  return position < axis.input ? position : -1;
}

template <int Positions, int Channels, class Input, class Output>
__global__ void __launch_bounds__(threads_per_block, 2)
    conv_transpose_kernel(const Input* input, const element* weight, Output* output, ConvShape shape) {
  if (position_in_plane() >= first_positions(shape, Positions)) return;
  const int position = static_cast<int>(position_in_plane());
  const int apart = columns_apart(shape.width, Positions);
  const int x = position % apart;
  const int y = position / apart % shape.height.output;
  const int z = position / apart / shape.height.output;
  WeightSteps steps;
  steps.input = static_cast<std::int64_t>(shape.out_channels_of_a_group()) * shape.kernel_elements();
  steps.output = shape.kernel_elements();

  const std::int64_t runs = shape.batch * shape.groups * runs_of_a_group(shape, Channels);
  for (std::int64_t number = blockIdx.y; number < runs; number += gridDim.y) {
    const ChannelRun run = channel_run(shape, Channels, number);
    const std::int64_t first_channel = run.group * shape.in_channels_of_a_group();
    const Input* inputs = input + (run.sample * shape.in_channels + first_channel) * shape.input_positions();
    const element* weights = weight + first_channel * steps.input + run.first * steps.output;

    accumulator sums[Positions][Channels] = {};
    for (int kz = 0; kz < shape.depth.kernel; ++kz) {
      const int iz = conv_transpose_source(shape.depth, z, kz);
      if (iz < 0) continue;
      for (int ky = 0; ky < shape.height.kernel; ++ky) {
        const int iy = conv_transpose_source(shape.height, y, ky);
        if (iy < 0) continue;
        for (int kx = 0; kx < shape.width.kernel; ++kx) {
          int sources[Positions];
          bool any = false;
          for (int p = 0; p < Positions; ++p) {
            const int ix = x + p * apart < shape.width.output
                               ? conv_transpose_source(shape.width, x + p * apart, kx)
                               : -1;
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
      Output* const plane = output + run.output_plane(shape, n) * shape.output_positions();
#pragma unroll
      for (int p = 0; p < Positions; ++p) {
        const int column = x + p * apart;
        if (column < shape.width.output) plane[row + column] = static_cast<Output>(sums[p][n]);
      }
    }
  }
}

template <class Input, class Output>
void conv_transpose(const Input* input, const element* weight, Output* output, const ConvShape& shape) {
  const int channels = channels_at_once(shape), positions = positions_at_once(shape);
  const dim3 grid = plane_grid(channel_runs(shape, channels), first_positions(shape, positions));
  const auto launch = [&](auto kernel) { kernel<<<grid, threads_per_block>>>(input, weight, output, shape); };
  if (channels == 1) {
    launch(conv_transpose_kernel<1, 1, Input, Output>);
  } else if (positions == 1) {
    launch(conv_transpose_kernel<1, most_channels_at_once, Input, Output>);
  } else {
    launch(conv_transpose_kernel<most_positions_at_once, most_channels_at_once, Input, Output>);
  }
}

}  // namespace ops
