// Transposed 2D convolution with stride, padding, output padding, dilation and groups, by cuDNN.
#include "baseline/convolution.h"

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t dilation_h, size_t dilation_w, size_t groups) {
  const auto shape = baseline::convolution_of(
      true, batch_size, in_channels, out_channels, groups,
      {baseline::transposed_axis(height, kernel_h, stride_h, padding_h, output_padding_h, dilation_h),
       baseline::transposed_axis(width, kernel_w, stride_w, padding_w, output_padding_w, dilation_w)});
  if (!baseline::convolve(shape, input, kernel, output)) baseline::fail("no plan for this convolution");
}
