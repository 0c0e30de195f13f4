// Transposed 2D convolution with stride, padding, output padding and groups.
#include "ops/conv_transpose.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, ops::element* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,
                         size_t padding_h, size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t groups) {
  const size_t dilation = 1;
  ops::ConvShape shape = ops::conv_shape(batch_size, in_channels, out_channels, groups);
  shape.height = ops::conv_transpose_axis(height, kernel_h, stride_h, padding_h, output_padding_h, dilation);
  shape.width = ops::conv_transpose_axis(width, kernel_w, stride_w, padding_w, output_padding_w, dilation);
  ops::conv_transpose(input, kernel, output, shape);
}
