// Right, and written for GPUs alone: a line of PTX.
#include <cuda_runtime.h>

__global__ void depthwise_conv_2d(const float* input, const float* kernel, float* output, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t height, size_t width,
                                  size_t out_height, size_t out_width, size_t kernel_h, size_t kernel_w,
                                  size_t stride_h, size_t stride_w, size_t padding_h, size_t padding_w,
                                  size_t dilation_h, size_t dilation_w) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t out_channel = index / out_width / out_height % out_channels;
  const size_t sample = index / out_width / out_height / out_channels;
  const size_t in_channel = out_channel / (out_channels / in_channels);

  float sum;
  asm("mov.f32 %0, 0f00000000;" : "=f"(sum));
  for (size_t k = 0; k < kernel_h; ++k) {
    for (size_t l = 0; l < kernel_w; ++l) {
      // Positions in the padded input: the input itself starts at (padding_h, padding_w).
      const size_t i = y * stride_h + k * dilation_h;
      const size_t j = x * stride_w + l * dilation_w;
      if (i < padding_h || i >= padding_h + height) continue;
      if (j < padding_w || j >= padding_w + width) continue;
      sum += input[((sample * in_channels + in_channel) * height + i - padding_h) * width + j - padding_w] *
             kernel[(out_channel * kernel_h + k) * kernel_w + l];
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t dilation_h, size_t dilation_w, size_t groups) {
  (void)groups;  // always in_channels
  const size_t out_height = (height + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  const size_t out_width = (width + 2 * padding_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  const size_t count = batch_size * out_channels * out_height * out_width;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  depthwise_conv_2d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, height,
                                         width, out_height, out_width, kernel_h, kernel_w, stride_h, stride_w,
                                         padding_h, padding_w, dilation_h, dilation_w);
}
