// Convolution in 1, 2 and 3 dimensions as PyTorch's Conv1d, Conv2d and Conv3d define it: a cross-correlation,
// in which the kernel is not flipped.
//
//   output[b][o][p] =
//       sum over c, k of input[b][c][p * stride - padding + k * dilation] * weight[o][c][k], plus bias[o]
//
// for every axis alike; positions outside the input count as zero. The output channels fall into `groups`
// equal parts, each of which sees its own part of the input channels.
// Layout: input (batch, in_channels, ...), weight (out_channels, in_channels / groups, ...).
#pragma once

#include "ops/conv_kernel.cuh"

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
struct ConvSource {
  __device__ int operator()(const Axis& axis, int output, int tap) const {
    const int position = output * axis.stride - axis.padding + tap * axis.dilation;
    return position >= 0 && position < axis.input ? position : -1;
  }
};

// Without a bias if `bias` is null.
template <class Input, class Output>
void conv(const Input* input, const element* weight, Output* output, const ConvShape& shape,
          const element* bias = nullptr) {
  WeightSteps steps;
  steps.input = shape.kernel_elements();
  steps.output = steps.input * shape.in_channels_of_a_group();
  steps.group = steps.output * shape.out_channels_of_a_group();
  convolve<ConvSource>(input, weight, bias, output, shape, steps);
}

}  // namespace ops
