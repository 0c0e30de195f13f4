// 3D convolution, the plain way: each thread computes one output element.
//
// Padding is never stored: positions outside the input are left out of the sum. Whether a tap reads one
// depends on the tap alone, so these tests stand outside the loop over the channels.
#include <cuda_runtime.h>

__global__ void conv_3d(const float* input, const float* kernel, float* output, size_t batch_size,
                        size_t in_channels, size_t out_channels, size_t depth, size_t height, size_t width,
                        size_t out_depth, size_t out_height, size_t out_width, size_t kernel_d,
                        size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h, size_t stride_w,
                        size_t padding_d, size_t padding_h, size_t padding_w, size_t dilation_d,
                        size_t dilation_h, size_t dilation_w, size_t groups) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_depth * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t z = index / out_width / out_height % out_depth;
  const size_t out_channel = index / out_width / out_height / out_depth % out_channels;
  const size_t sample = index / out_width / out_height / out_depth / out_channels;

  const size_t in_per_group = in_channels / groups;
  const size_t first_channel = out_channel / (out_channels / groups) * in_per_group;

  float sum = 0;
  for (size_t m = 0; m < kernel_d; ++m) {
    // Positions in the padded input: the input itself starts at (padding_d, padding_h, padding_w).
    const size_t h = z * stride_d + m * dilation_d;
    if (h < padding_d || h >= padding_d + depth) continue;
    for (size_t k = 0; k < kernel_h; ++k) {
      const size_t i = y * stride_h + k * dilation_h;
      if (i < padding_h || i >= padding_h + height) continue;
      for (size_t l = 0; l < kernel_w; ++l) {
        const size_t j = x * stride_w + l * dilation_w;
        if (j < padding_w || j >= padding_w + width) continue;
        for (size_t c = 0; c < in_per_group; ++c) {
          const size_t volume = sample * in_channels + first_channel + c;
          const size_t row = (volume * depth + h - padding_d) * height + i - padding_h;
          const size_t filter = out_channel * in_per_group + c;
          sum += input[row * width + j - padding_w] *
                 kernel[((filter * kernel_d + m) * kernel_h + k) * kernel_w + l];
        }
      }
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t depth, size_t height, size_t width,
                         size_t kernel_d, size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h,
                         size_t stride_w, size_t padding_d, size_t padding_h, size_t padding_w,
                         size_t dilation_d, size_t dilation_h, size_t dilation_w, size_t groups) {
  const size_t out_depth = (depth + 2 * padding_d - dilation_d * (kernel_d - 1) - 1) / stride_d + 1;
  const size_t out_height = (height + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  const size_t out_width = (width + 2 * padding_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  const size_t count = batch_size * out_channels * out_depth * out_height * out_width;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  conv_3d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, depth, height,
                               width, out_depth, out_height, out_width, kernel_d, kernel_h, kernel_w,
                               stride_d, stride_h, stride_w, padding_d, padding_h, padding_w, dilation_d,
                               dilation_h, dilation_w, groups);
}
