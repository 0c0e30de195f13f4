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

template <class Input, class Output>
__global__ void conv_kernel(const Input* input, const element* weight, const element* bias, Output* output,
                            ConvShape shape) {
  if (position_in_plane() >= shape.output_positions()) return;
  const int position = static_cast<int>(position_in_plane());
  const int x = position % shape.width.output;
  const int y = position / shape.width.output % shape.height.output;
  const int z = position / shape.width.output / shape.height.output;

  for (std::int64_t plane = blockIdx.y; plane < shape.output_planes(); plane += gridDim.y) {
    const std::int64_t sample = plane / shape.out_channels;
    const std::int64_t out_channel = plane % shape.out_channels;
    const std::int64_t group = out_channel / shape.out_channels_of_a_group();
    const std::int64_t first_channel = group * shape.in_channels_of_a_group();
    const Input* inputs = input + (sample * shape.in_channels + first_channel) * shape.input_positions();
    const element* weights = weight + out_channel * shape.in_channels_of_a_group() * shape.kernel_elements();

    accumulator sum = 0;
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
          sum += sum_over_channels(inputs + source, shape.input_positions(), weights + tap,
                                   shape.kernel_elements(), shape.in_channels_of_a_group());
        }
      }
    }
    if (bias != nullptr) sum += static_cast<accumulator>(bias[out_channel]);
    output[plane * shape.output_positions() + position] = static_cast<Output>(sum);
  }
}

// Without bias where `bias` is null.
template <class Input, class Output>
void conv(const Input* input, const element* weight, Output* output, const ConvShape& shape,
          const element* bias = nullptr) {
  const dim3 grid = plane_grid(shape.output_planes(), shape.output_positions());
  conv_kernel<<<grid, threads_per_block>>>(input, weight, bias, output, shape);
}

}  // namespace ops
