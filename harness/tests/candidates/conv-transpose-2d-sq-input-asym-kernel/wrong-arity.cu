// expect: signature_mismatch
//
// The last parameter, groups, is missing.
#define solution plain_solution
#include "plain.cuh"
#undef solution

void run(Convolution plain) { convolve(plain); }

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w) {
  plain_solution(input, kernel, output, batch_size, in_channels, out_channels, height, width, kernel_h,
                 kernel_w, stride_h, stride_w, padding_h, padding_w, output_padding_h, output_padding_w, 1);
}
