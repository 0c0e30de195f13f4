// Depthwise separable 2D convolution: a convolution with one group for each channel, then a pointwise one.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* input, const ops::element* depthwise_kernel,
                         const ops::element* pointwise_kernel, ops::element* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t dilation_h, size_t dilation_w) {
  ops::ConvShape depthwise = ops::conv_shape(batch_size, in_channels, in_channels, in_channels);
  depthwise.height = ops::conv_axis(height, kernel_h, stride_h, padding_h, dilation_h);
  depthwise.width = ops::conv_axis(width, kernel_w, stride_w, padding_w, dilation_w);

  ops::ConvShape pointwise = ops::conv_shape(batch_size, in_channels, out_channels, 1);
  pointwise.height.input = pointwise.height.output = depthwise.height.output;
  pointwise.width.input = pointwise.width.output = depthwise.width.output;

  const ops::Intermediate filtered(depthwise.output_planes() * depthwise.output_positions());
  if (filtered.data() == nullptr) return;
  ops::conv(input, depthwise_kernel, filtered.data(), depthwise);
  ops::conv(filtered.data(), pointwise_kernel, output, pointwise);
}
