// Transposed 1D convolution with stride, padding, output padding, dilation and groups.
#include "ops/conv_transpose.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, ops::element* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t length,
                         size_t kernel_size, size_t stride, size_t padding, size_t output_padding,
                         size_t dilation, size_t groups) {
  ops::ConvShape shape = ops::conv_shape(batch_size, in_channels, out_channels, groups);
  shape.width = ops::conv_transpose_axis(length, kernel_size, stride, padding, output_padding, dilation);
  ops::conv_transpose(input, kernel, output, shape);
}
