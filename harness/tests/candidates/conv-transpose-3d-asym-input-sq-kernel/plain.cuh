// The entry point of the candidates beside it: each says in `run` what it does with the convolution.
#pragma once

#include "conv_transpose.cuh"

void run(Convolution plain);

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t depth, size_t height, size_t width,
                         size_t kernel_d, size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h,
                         size_t stride_w, size_t padding_d, size_t padding_h, size_t padding_w,
                         size_t output_padding_d, size_t output_padding_h, size_t output_padding_w,
                         size_t dilation_d, size_t dilation_h, size_t dilation_w, size_t groups) {
  run(convolution(input, kernel, output, batch_size, in_channels, out_channels, groups,
                  axis_of(depth, kernel_d, stride_d, padding_d, output_padding_d, dilation_d),
                  axis_of(height, kernel_h, stride_h, padding_h, output_padding_h, dilation_h),
                  axis_of(width, kernel_w, stride_w, padding_w, output_padding_w, dilation_w)));
}
