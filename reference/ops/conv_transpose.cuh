// Transposed convolution in 1, 2 and 3 dimensions, without bias, as PyTorch's ConvTranspose1d,
// ConvTranspose2d and ConvTranspose3d define it: the gradient of a convolution with respect to its input.
//
// Every input value spreads over the output: input position i adds input[i] * weight[k] to output position i
// * stride - padding + k * dilation, for every tap k and every axis alike; positions outside are dropped.
// Output padding only makes the output longer, at its end. Here each thread gathers the contributions to one
// output position p: the taps k for which p + padding - k * dilation is a multiple of the stride, and their
// inputs i = (p + padding - k * dilation) / stride. Layout: input (batch, in_channels, ...), weight
// (in_channels, out_channels / groups, ...).
#pragma once

#include "ops/conv_kernel.cuh"

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
struct ConvTransposeSource {
  __device__ int operator()(const Axis& axis, int output, int tap) const {
    const int distance = output + axis.padding - tap * axis.dilation;
    if (distance < 0 || distance % axis.stride != 0) return -1;
    const int position = distance / axis.stride;
    return position < axis.input ? position : -1;
  }
};

template <class Input, class Output>
void conv_transpose(const Input* input, const element* weight, Output* output, const ConvShape& shape) {
  WeightSteps steps;
  steps.output = shape.kernel_elements();
  steps.input = steps.output * shape.out_channels_of_a_group();
  steps.group = steps.input * shape.in_channels_of_a_group();
  convolve<ConvTransposeSource>(input, weight, nullptr, output, shape, steps);
}

}  // namespace ops
