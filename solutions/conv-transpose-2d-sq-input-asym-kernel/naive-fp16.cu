// kgrade: dtype float16
//
// Transposed 2D convolution of float16, the plain way: each thread computes one output element. The sum is a
// float, which is rounded once, when it is stored.
//
// A thread gathers what reaches its element. Tap (k, l) of the kernel carries input row i to output row
// i * stride_h - padding_h + k; solved for i, y + padding_h - k has to be a multiple of the stride. These
// tests depend on the tap alone, so they stand outside the loop over the channels.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void conv_transpose_2d(const __half* input, const __half* kernel, __half* output,
                                  size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                                  size_t width, size_t out_height, size_t out_width, size_t kernel_h,
                                  size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                                  size_t padding_w, size_t groups) {
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
    if (y + padding_h < k) continue;
    const size_t rows = y + padding_h - k;
    if (rows % stride_h != 0 || rows / stride_h >= height) continue;
    for (size_t l = 0; l < kernel_w; ++l) {
      if (x + padding_w < l) continue;
      const size_t columns = x + padding_w - l;
      if (columns % stride_w != 0 || columns / stride_w >= width) continue;

      const size_t i = rows / stride_h;
      const size_t j = columns / stride_w;
      for (size_t c = first_channel; c < first_channel + in_per_group; ++c) {
        const __half value = input[((sample * in_channels + c) * height + i) * width + j];
        const __half weight =
            kernel[((c * out_per_group + out_channel % out_per_group) * kernel_h + k) * kernel_w + l];
        sum += __half2float(value) * __half2float(weight);
      }
    }
  }
  output[index] = __float2half(sum);
}

extern "C" void solution(const __half* input, const __half* kernel, __half* output, size_t batch_size,
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
                                         padding_h, padding_w, groups);
}
