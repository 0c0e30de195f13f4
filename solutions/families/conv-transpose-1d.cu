// Transposed 1D convolution, the plain way: each thread computes one output element.
//
// A thread gathers what reaches its element. Tap l of the kernel carries input position j to output position
// j * stride - padding + l * dilation; solved for j, x + padding - l * dilation has to be a multiple of the
// stride.
#include <cuda_runtime.h>

__global__ void conv_transpose_1d(const float* input, const float* kernel, float* output, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t length, size_t out_length,
                                  size_t kernel_size, size_t stride, size_t padding, size_t dilation,
                                  size_t groups) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_length) return;
  const size_t x = index % out_length;
  const size_t out_channel = index / out_length % out_channels;
  const size_t sample = index / out_length / out_channels;

  const size_t in_per_group = in_channels / groups;
  const size_t out_per_group = out_channels / groups;
  const size_t first_channel = out_channel / out_per_group * in_per_group;

  float sum = 0;
  for (size_t l = 0; l < kernel_size; ++l) {
    if (x + padding < l * dilation) continue;
    const size_t distance = x + padding - l * dilation;
    if (distance % stride != 0 || distance / stride >= length) continue;
    const size_t j = distance / stride;
    for (size_t c = first_channel; c < first_channel + in_per_group; ++c) {
      sum += input[(sample * in_channels + c) * length + j] *
             kernel[(c * out_per_group + out_channel % out_per_group) * kernel_size + l];
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t length, size_t kernel_size,
                         size_t stride, size_t padding, size_t output_padding, size_t dilation,
                         size_t groups) {
  const size_t out_length =
      (length - 1) * stride + dilation * (kernel_size - 1) + output_padding + 1 - 2 * padding;
  const size_t count = batch_size * out_channels * out_length;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  conv_transpose_1d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, length,
                                         out_length, kernel_size, stride, padding, dilation, groups);
}
