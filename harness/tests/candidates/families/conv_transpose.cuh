// Transposed convolution of up to three axes, the plain way: each thread computes one output element.
//
// For candidates that make one mistake: each changes the `Convolution`, the launch, or what it does with a
// sum or after it.
#pragma once

#include <cuda_runtime.h>

struct Axis {
  size_t input, output, taps, stride, padding, dilation;
};

inline Axis axis_of(size_t input, size_t taps, size_t stride, size_t padding, size_t output_padding,
                    size_t dilation) {
  const size_t output = (input - 1) * stride + dilation * (taps - 1) + output_padding + 1 - 2 * padding;
  return {input, output, taps, stride, padding, dilation};
}

// Of a convolution with two axes only.
inline Axis no_depth() { return {1, 1, 1, 1, 0, 1}; }

struct Convolution {
  const float* input;
  const float* kernel;
  float* output;
  size_t batch_size, in_channels, out_channels;
  size_t in_per_group, out_per_group;  // channels
  Axis depth, height, width;

  __host__ __device__ size_t count() const {
    return batch_size * out_channels * depth.output * height.output * width.output;
  }
};

inline Convolution convolution(const float* input, const float* kernel, float* output, size_t batch_size,
                               size_t in_channels, size_t out_channels, size_t groups, const Axis& depth,
                               const Axis& height, const Axis& width) {
  return {input,
          kernel,
          output,
          batch_size,
          in_channels,
          out_channels,
          in_channels / groups,
          out_channels / groups,
          depth,
          height,
          width};
}

// The input position that a tap carries to an output position, or `axis.input` if there is none.
__device__ inline size_t source(const Axis& axis, size_t output, size_t tap) {
  if (output + axis.padding < tap * axis.dilation) return axis.input;
  const size_t distance = output + axis.padding - tap * axis.dilation;
  if (distance % axis.stride != 0 || distance / axis.stride >= axis.input) return axis.input;
  return distance / axis.stride;
}

__device__ inline float unchanged(float operand) { return operand; }

// What belongs into output element `index`.
template <float (*operand)(float) = unchanged>
__device__ float sum_at(const Convolution& c, size_t index) {
  const Axis &depth = c.depth, &height = c.height, &width = c.width;
  const size_t x = index % width.output;
  const size_t y = index / width.output % height.output;
  const size_t z = index / width.output / height.output % depth.output;
  const size_t plane = index / width.output / height.output / depth.output;
  const size_t out_channel = plane % c.out_channels;
  const size_t sample = plane / c.out_channels;
  // The remainder changes nothing, unless a candidate takes all input channels for a single group.
  const size_t first = out_channel / c.out_per_group * c.in_per_group % c.in_channels;

  float sum = 0;
  for (size_t m = 0; m < depth.taps; ++m) {
    const size_t h = source(depth, z, m);
    if (h == depth.input) continue;
    for (size_t k = 0; k < height.taps; ++k) {
      const size_t i = source(height, y, k);
      if (i == height.input) continue;
      for (size_t l = 0; l < width.taps; ++l) {
        const size_t j = source(width, x, l);
        if (j == width.input) continue;
        for (size_t channel = first; channel < first + c.in_per_group; ++channel) {
          const size_t volume = sample * c.in_channels + channel;
          const size_t slice = channel * c.out_per_group + out_channel % c.out_per_group;
          sum += operand(c.input[((volume * depth.input + h) * height.input + i) * width.input + j]) *
                 operand(c.kernel[((slice * depth.taps + m) * height.taps + k) * width.taps + l]);
        }
      }
    }
  }
  return sum;
}

// Up to the first `count` output elements.
__global__ void conv_transpose(Convolution c, size_t count) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) c.output[index] = sum_at(c, index);
}

const unsigned threads = 256;

inline unsigned blocks_for(size_t count) { return (unsigned)((count + threads - 1) / threads); }

// Without a mistake.
inline void convolve(const Convolution& c) {
  conv_transpose<<<blocks_for(c.count()), threads>>>(c, c.count());
}
