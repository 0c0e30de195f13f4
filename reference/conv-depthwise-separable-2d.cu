// Depthwise separable 2D convolution: a convolution with a group for every channel, then a pointwise one.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* input, const ops::element* depthwise_kernel,
                         const ops::element* pointwise_kernel, ops::element* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t dilation_h, size_t dilation_w) {
  ops::ConvShape depthwise;
  depthwise.batch = static_cast<std::int64_t>(batch_size);
  depthwise.in_channels = static_cast<int>(in_channels);
  depthwise.out_channels = depthwise.in_channels;
  depthwise.groups = depthwise.in_channels;
  depthwise.height = ops::conv_axis(height, kernel_h, stride_h, padding_h, dilation_h);
  depthwise.width = ops::conv_axis(width, kernel_w, stride_w, padding_w, dilation_w);

  ops::ConvShape pointwise;
  pointwise.batch = depthwise.batch;
  pointwise.in_channels = depthwise.out_channels;
  pointwise.out_channels = static_cast<int>(out_channels);
  pointwise.height.input = pointwise.height.output = depthwise.height.output;
  pointwise.width.input = pointwise.width.output = depthwise.width.output;

  const ops::Intermediate filtered(depthwise.output_planes() * depthwise.output_positions());
  if (filtered.data() == nullptr) return;
  ops::conv(input, depthwise_kernel, filtered.data(), depthwise);
  ops::conv(filtered.data(), pointwise_kernel, output, pointwise);
}
