// 3D convolution with stride, padding, dilation and groups.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, ops::element* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t depth,
                         size_t height, size_t width, size_t kernel_d, size_t kernel_h, size_t kernel_w,
                         size_t stride_d, size_t stride_h, size_t stride_w, size_t padding_d,
                         size_t padding_h, size_t padding_w, size_t dilation_d, size_t dilation_h,
                         size_t dilation_w, size_t groups) {
  ops::ConvShape shape = ops::conv_shape(batch_size, in_channels, out_channels, groups);
  shape.depth = ops::conv_axis(depth, kernel_d, stride_d, padding_d, dilation_d);
  shape.height = ops::conv_axis(height, kernel_h, stride_h, padding_h, dilation_h);
  shape.width = ops::conv_axis(width, kernel_w, stride_w, padding_w, dilation_w);
  ops::conv(input, kernel, output, shape);
}
