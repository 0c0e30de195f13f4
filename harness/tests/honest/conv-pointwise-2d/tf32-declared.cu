// kgrade: precision tf32
//
// Operands are rounded to TF32 (10 bits of mantissa) before they are multiplied, as tensor cores do; sums are
// float. With one output channel, or a handful of outputs, sums cancel, and what rounding left does not.
#include <cuda_runtime.h>

// Nearest, and away from zero when two are equally near.
__device__ float rounded(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xffffe000u);
}

__global__ void pointwise_conv_2d(const float* input, const float* kernel, float* output, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t positions) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * positions) return;
  const size_t position = index % positions;
  const size_t out_channel = index / positions % out_channels;
  const size_t sample = index / positions / out_channels;

  float sum = 0;
  for (size_t c = 0; c < in_channels; ++c) {
    sum += rounded(input[(sample * in_channels + c) * positions + position]) *
           rounded(kernel[out_channel * in_channels + c]);
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width) {
  const size_t count = batch_size * out_channels * height * width;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  pointwise_conv_2d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels,
                                         height * width);
}
