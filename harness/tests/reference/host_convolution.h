// The convolutions on the host, computed in other ways than in reference/ops: the convolution from an input
// that is padded with zeros first, the transposed convolution by adding each input value to the places that
// it reaches in an output that is cropped at the end.
#pragma once

#include <vector>

#include "tests/reference/operator_arguments.h"

namespace kgrade::test {

std::size_t volume(const Extents& extents);
std::size_t input_elements(const ConvArguments& arguments);
std::size_t weight_elements(const ConvArguments& arguments);  // the same for both convolutions

struct HostOutput {
  Extents extents = {};
  std::vector<double> values;  // (batch, out_channels, depth, height, width)
};

// Weights (out_channels, in_channels / groups, depth, height, width).
HostOutput host_conv(const ConvArguments& arguments, const std::vector<float>& input,
                     const std::vector<float>& weight);

// Weights (in_channels, out_channels / groups, depth, height, width).
HostOutput host_conv_transpose(const ConvArguments& arguments, const std::vector<float>& input,
                               const std::vector<float>& weight);

}  // namespace kgrade::test
