// kgrade: precision tf32
//
// Operands are rounded to TF32 (10 bits of mantissa) before they are multiplied, as tensor cores do; sums are
// float. With one output channel, or a handful of outputs, sums cancel, and what rounding left does not.
#include <cuda_runtime.h>

// Nearest, and away from zero when two are equally near.
__device__ float rounded(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__global__ void conv_1d(const float* input, const float* kernel, float* output, size_t batch_size,
                        size_t in_channels, size_t out_channels, size_t length, size_t out_length,
                        size_t kernel_size, size_t stride, size_t padding, size_t dilation, size_t groups) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_length) return;
  const size_t x = index % out_length;
  const size_t out_channel = index / out_length % out_channels;
  const size_t sample = index / out_length / out_channels;

  const size_t in_per_group = in_channels / groups;
  const size_t first_channel = out_channel / (out_channels / groups) * in_per_group;

  float sum = 0;
  for (size_t l = 0; l < kernel_size; ++l) {
    // The position in the padded input: the input itself starts at `padding`.
    const size_t j = x * stride + l * dilation;
    if (j < padding || j >= padding + length) continue;
    for (size_t c = 0; c < in_per_group; ++c) {
      sum += rounded(input[(sample * in_channels + first_channel + c) * length + j - padding]) *
             rounded(kernel[(out_channel * in_per_group + c) * kernel_size + l]);
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t length, size_t kernel_size,
                         size_t stride, size_t padding, size_t dilation, size_t groups) {
  const size_t out_length = (length + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1;
  const size_t count = batch_size * out_channels * out_length;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  conv_1d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, length,
                               out_length, kernel_size, stride, padding, dilation, groups);
}
