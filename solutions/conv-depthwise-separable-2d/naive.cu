// Depthwise separable 2D convolution, the plain way: two kernels, in each of which a thread computes one
// element.
#include <cuda_runtime.h>

// Padding is never stored: positions outside the input are left out of the sum.
__global__ void depthwise_conv_2d(const float* input, const float* kernel, float* filtered, size_t planes,
                                  size_t channels, size_t height, size_t width, size_t out_height,
                                  size_t out_width, size_t kernel_h, size_t kernel_w, size_t stride_h,
                                  size_t stride_w, size_t padding_h, size_t padding_w, size_t dilation_h,
                                  size_t dilation_w) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= planes * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t plane = index / out_width / out_height;

  float sum = 0;
  for (size_t k = 0; k < kernel_h; ++k) {
    for (size_t l = 0; l < kernel_w; ++l) {
      // Positions in the padded input: the input itself starts at (padding_h, padding_w).
      const size_t i = y * stride_h + k * dilation_h;
      const size_t j = x * stride_w + l * dilation_w;
      if (i < padding_h || i >= padding_h + height) continue;
      if (j < padding_w || j >= padding_w + width) continue;
      sum += input[(plane * height + i - padding_h) * width + j - padding_w] *
             kernel[(plane % channels * kernel_h + k) * kernel_w + l];
    }
  }
  filtered[index] = sum;
}

__global__ void pointwise_conv_2d(const float* filtered, const float* kernel, float* output,
                                  size_t batch_size, size_t in_channels, size_t out_channels,
                                  size_t positions) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * positions) return;
  const size_t position = index % positions;
  const size_t out_channel = index / positions % out_channels;
  const size_t sample = index / positions / out_channels;

  float sum = 0;
  for (size_t c = 0; c < in_channels; ++c) {
    sum +=
        filtered[(sample * in_channels + c) * positions + position] * kernel[out_channel * in_channels + c];
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* depthwise_kernel, const float* pointwise_kernel,
                         float* output, size_t batch_size, size_t in_channels, size_t out_channels,
                         size_t height, size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h,
                         size_t stride_w, size_t padding_h, size_t padding_w, size_t dilation_h,
                         size_t dilation_w) {
  const size_t out_height = (height + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  const size_t out_width = (width + 2 * padding_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  const size_t planes = batch_size * in_channels;
  const size_t positions = out_height * out_width;
  const unsigned threads = 256;

  float* filtered = nullptr;
  if (cudaMalloc(&filtered, planes * positions * sizeof(float)) != cudaSuccess) return;
  unsigned blocks = (unsigned)((planes * positions + threads - 1) / threads);
  depthwise_conv_2d<<<blocks, threads>>>(input, depthwise_kernel, filtered, planes, in_channels, height,
                                         width, out_height, out_width, kernel_h, kernel_w, stride_h, stride_w,
                                         padding_h, padding_w, dilation_h, dilation_w);
  blocks = (unsigned)((batch_size * out_channels * positions + threads - 1) / threads);
  pointwise_conv_2d<<<blocks, threads>>>(filtered, pointwise_kernel, output, batch_size, in_channels,
                                         out_channels, positions);
  cudaFree(filtered);
}
