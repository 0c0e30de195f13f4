// Transposed 1D convolution with stride, padding, output padding, dilation and groups.
#include "ops/conv_transpose.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, ops::element* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t length,
                         size_t kernel_size, size_t stride, size_t padding, size_t output_padding,
                         size_t dilation, size_t groups) {
  ops::ConvShape shape;
  shape.batch = static_cast<std::int64_t>(batch_size);
  shape.in_channels = static_cast<int>(in_channels);
  shape.out_channels = static_cast<int>(out_channels);
  shape.groups = static_cast<int>(groups);
  shape.width = ops::conv_transpose_axis(length, kernel_size, stride, padding, output_padding, dilation);
  ops::conv_transpose(input, kernel, output, shape);
}
