// Pointwise 2D convolution: a convolution with a kernel of one element.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, ops::element* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width) {
  ops::ConvShape shape = ops::conv_shape(batch_size, in_channels, out_channels, 1);
  shape.height.input = shape.height.output = static_cast<int>(height);
  shape.width.input = shape.width.output = static_cast<int>(width);
  ops::conv(input, kernel, output, shape);
}
