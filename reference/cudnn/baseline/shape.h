// A convolution as cuDNN sees it, forward or backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace baseline {

using Extents = std::vector<std::int64_t>;

// One axis of a problem, in the problem's terms: `input` and `output` are what its layer reads and computes.
struct Axis {
  std::size_t input, output, kernel, stride, padding, dilation;
};

// A transposed convolution is the gradient of a convolution with respect to its input: cuDNN's "backward
// data". cuDNN describes both directions in the same way: a forward convolution computes a `response` from an
// `image`; backward, the response is given and the image is computed. So for a transposed convolution, the
// problem's input is the response (cuDNN's dy), its output the image (dx), and its kernel (in_channels,
// out_channels / groups, ...) is the filter K C R S with K = channels of the response and C = channels of the
// image in each group. cuDNN computes the number of groups as the image's channels over C.
struct Convolution {
  bool backward = false;
  Extents image, response, filter;  // batch, channels, then the axes; K, C, then the axes
  Extents stride, padding, dilation;
  std::int64_t groups = 1;

  std::size_t axes() const { return stride.size(); }
  const Extents& made() const { return backward ? image : response; }

  // Equal for equal problems.
  Extents key() const {
    Extents all = {backward, groups};
    for (const Extents* part : {&image, &response, &filter, &stride, &padding, &dilation}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

inline Convolution convolution_of(bool transposed, std::size_t batch, std::size_t in_channels,
                                  std::size_t out_channels, std::size_t groups,
                                  const std::vector<Axis>& axes) {
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  Convolution shape;
  shape.backward = transposed;
  shape.groups = number(groups);
  Extents input = {number(batch), number(in_channels)};
  Extents output = {number(batch), number(out_channels)};
  const std::size_t others = transposed ? out_channels : in_channels;
  shape.filter = {number(transposed ? in_channels : out_channels), number(others / groups)};
  for (const Axis& axis : axes) {
    input.push_back(number(axis.input));
    output.push_back(number(axis.output));
    shape.filter.push_back(number(axis.kernel));
    shape.stride.push_back(number(axis.stride));
    shape.padding.push_back(number(axis.padding));
    shape.dilation.push_back(number(axis.dilation));
  }
  shape.image = transposed ? output : input;
  shape.response = transposed ? input : output;
  return shape;
}

// With the output extent from the problem's shapes. cuDNN has no output padding: it is the part of the
// image's extent that the forward convolution leaves over, which is less than the stride. cuDNN does not
// support a larger one (which PyTorch allows with a dilation); then no plan is found.
inline Axis transposed_axis(std::size_t input, std::size_t kernel, std::size_t stride, std::size_t padding,
                            std::size_t output_padding, std::size_t dilation) {
  const std::size_t output =
      (input - 1) * stride + dilation * (kernel - 1) + output_padding + 1 - 2 * padding;
  return {input, output, kernel, stride, padding, dilation};
}

inline Axis forward_axis(std::size_t input, std::size_t kernel, std::size_t stride, std::size_t padding,
                         std::size_t dilation) {
  const std::size_t output = (input + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  return {input, output, kernel, stride, padding, dilation};
}

inline std::int64_t count(const Extents& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

inline std::size_t bytes_of(const Extents& extents) {
  return static_cast<std::size_t>(count(extents)) * sizeof(float);
}

enum class Order { channels_first, channels_last };

// The distance between neighbours along each axis. Channels last: the second axis is the innermost.
inline Extents strides_of(const Extents& extents, Order order) {
  Extents strides(extents.size());
  std::int64_t step = 1;
  if (order == Order::channels_last) {
    strides[1] = 1;
    step = extents[1];
  }
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (order == Order::channels_last && i == 1) continue;
    strides[i] = step;
    step *= extents[i];
  }
  return strides;
}

}  // namespace baseline
