// expect: wrong_answer
// expect-case plain: accepted
// expect-case padding-1x3: accepted
// expect-case groups-4: accepted
// expect-case kernel-1x1: accepted
// expect-case batch-1-primes: accepted
// expect-case output-1x1: accepted
// expect-case wide-row: accepted
// expect-case kernelbench: accepted
//
// Takes the input position as (out + padding - k + output_padding) / stride and never checks whether the
// division leaves a remainder: taps that meet no input are added, and output padding shifts the result. Right
// with stride 1, as in the KernelBench case, wrong with any other stride and with output padding.
#include <cuda_runtime.h>

__global__ void conv_transpose_2d(const float* input, const float* kernel, float* output, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t height, size_t width,
                                  size_t out_height, size_t out_width, size_t kernel_h, size_t kernel_w,
                                  size_t stride_h, size_t stride_w, size_t padding_h, size_t padding_w,
                                  size_t output_padding_h, size_t output_padding_w, size_t groups) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t out_channel = index / out_width / out_height % out_channels;
  const size_t sample = index / out_width / out_height / out_channels;

  const size_t in_per_group = in_channels / groups;
  const size_t out_per_group = out_channels / groups;
  const size_t first_channel = out_channel / out_per_group * in_per_group;

  float sum = 0;
  for (size_t k = 0; k < kernel_h; ++k) {
    for (size_t l = 0; l < kernel_w; ++l) {
      const long long i =
          ((long long)(y + padding_h + output_padding_h) - (long long)k) / (long long)stride_h;
      const long long j =
          ((long long)(x + padding_w + output_padding_w) - (long long)l) / (long long)stride_w;
      if (i < 0 || i >= (long long)height || j < 0 || j >= (long long)width) continue;

      for (size_t c = first_channel; c < first_channel + in_per_group; ++c) {
        sum += input[((sample * in_channels + c) * height + i) * width + j] *
               kernel[((c * out_per_group + out_channel % out_per_group) * kernel_h + k) * kernel_w + l];
      }
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  const size_t out_height = (height - 1) * stride_h + kernel_h + output_padding_h - 2 * padding_h;
  const size_t out_width = (width - 1) * stride_w + kernel_w + output_padding_w - 2 * padding_w;
  const size_t count = batch_size * out_channels * out_height * out_width;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  conv_transpose_2d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, height,
                                         width, out_height, out_width, kernel_h, kernel_w, stride_h, stride_w,
                                         padding_h, padding_w, output_padding_h, output_padding_w, groups);
}
