// Depthwise 2D convolution, the plain way: each thread computes one output element.
//
// For the candidates beside it that make one mistake: each says in `run` what it does with the convolution.
#pragma once

#include <cuda_runtime.h>

struct Axis {
  size_t input, output, taps, stride, padding, dilation;
};

inline Axis axis_of(size_t input, size_t taps, size_t stride, size_t padding, size_t dilation) {
  const size_t output = (input + 2 * padding - dilation * (taps - 1) - 1) / stride + 1;
  return {input, output, taps, stride, padding, dilation};
}

struct Convolution {
  const float* input;
  const float* kernel;
  float* output;
  size_t batch_size, in_channels, out_channels;
  size_t filters_per_channel;
  size_t channels_read;  // by an output channel: 1
  Axis height, width;

  __host__ __device__ size_t count() const {
    return batch_size * out_channels * height.output * width.output;
  }
};

// The input position under a tap, or `axis.input` if there is only padding.
__device__ inline size_t source(const Axis& axis, size_t output, size_t tap) {
  const size_t padded = output * axis.stride + tap * axis.dilation;
  return padded < axis.padding || padded - axis.padding >= axis.input ? axis.input : padded - axis.padding;
}

// What belongs into output element `index`.
__device__ inline float sum_at(const Convolution& c, size_t index) {
  const size_t x = index % c.width.output;
  const size_t y = index / c.width.output % c.height.output;
  const size_t plane = index / c.width.output / c.height.output;
  const size_t out_channel = plane % c.out_channels;
  const size_t sample = plane / c.out_channels;
  // The remainder changes nothing, unless a candidate counts the filters wrongly or reads all channels.
  const size_t first = out_channel / c.filters_per_channel * c.channels_read % c.in_channels;

  float sum = 0;
  for (size_t k = 0; k < c.height.taps; ++k) {
    const size_t i = source(c.height, y, k);
    if (i == c.height.input) continue;
    for (size_t l = 0; l < c.width.taps; ++l) {
      const size_t j = source(c.width, x, l);
      if (j == c.width.input) continue;
      for (size_t channel = first; channel < first + c.channels_read; ++channel) {
        sum += c.input[((sample * c.in_channels + channel) * c.height.input + i) * c.width.input + j] *
               c.kernel[(out_channel * c.height.taps + k) * c.width.taps + l];
      }
    }
  }
  return sum;
}

__global__ void depthwise_conv(Convolution c) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < c.count()) c.output[index] = sum_at(c, index);
}

const unsigned threads = 256;

inline unsigned blocks_for(size_t count) { return (unsigned)((count + threads - 1) / threads); }

// Without a mistake.
inline void convolve(const Convolution& c) { depthwise_conv<<<blocks_for(c.count()), threads>>>(c); }

void run(Convolution plain);

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t dilation_h, size_t dilation_w, size_t groups) {
  (void)groups;  // always in_channels
  run({input, kernel, output, batch_size, in_channels, out_channels, out_channels / in_channels, 1,
       axis_of(height, kernel_h, stride_h, padding_h, dilation_h),
       axis_of(width, kernel_w, stride_w, padding_w, dilation_w)});
}
