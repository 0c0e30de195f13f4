// ConvTranspose2D, BatchNorm, Tanh, MaxPool and GroupNorm, the plain way: one kernel a step.
//
// For the candidates beside it that make one mistake: each says in `run` what it does with the steps.
#pragma once

#include <cmath>

#include "conv_transpose.cuh"

const float epsilon = 1e-5f;

struct Steps {
  Convolution conv;
  const float* bn_weight;
  const float* bn_bias;
  const float* gn_weight;
  const float* gn_bias;
  float* output;
  size_t num_groups;
  // What lies between the steps, as does the output of `conv`.
  float* mean;  // of each channel
  float* inverse_deviation;
  float* pooled;

  __host__ __device__ size_t planes() const { return conv.batch_size * conv.out_channels; }
  __host__ __device__ size_t conv_positions() const { return conv.height.output * conv.width.output; }
  __host__ __device__ size_t pooled_positions() const {
    return (conv.height.output / 2) * (conv.width.output / 2);
  }
};

// The sum of one value from each thread of the block.
__device__ inline float block_sum(float value) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();  // no thread may write to `partial` again before all have read the sum
  return sum;
}

struct Moments {
  float mean, inverse_deviation;
};

// Of `runs` runs of `length` values that begin `distance` apart, by a block.
__device__ inline Moments moments(const float* first, size_t runs, size_t distance, size_t length) {
  float sum = 0;
  for (size_t run = 0; run < runs; ++run)
    for (size_t i = threadIdx.x; i < length; i += threads) sum += first[run * distance + i];
  const float mean = block_sum(sum) / (float)(runs * length);

  float squares = 0;
  for (size_t run = 0; run < runs; ++run) {
    for (size_t i = threadIdx.x; i < length; i += threads) {
      const float difference = first[run * distance + i] - mean;
      squares += difference * difference;
    }
  }
  return {mean, 1.0f / sqrtf(block_sum(squares) / (float)(runs * length) + epsilon)};
}

// A block for each channel.
__global__ void channel_statistics(Steps s) {
  const size_t channel = blockIdx.x;
  const size_t positions = s.conv_positions();
  const Moments found = moments(s.conv.output + channel * positions, s.conv.batch_size,
                                s.conv.out_channels * positions, positions);
  if (threadIdx.x == 0) {
    s.mean[channel] = found.mean;
    s.inverse_deviation[channel] = found.inverse_deviation;
  }
}

// A thread for each pooled element.
__global__ void normalize_tanh_max_pool(Steps s) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= s.planes() * s.pooled_positions()) return;
  const size_t pooled_width = s.conv.width.output / 2;
  const size_t plane = index / s.pooled_positions();
  const size_t y = index % s.pooled_positions() / pooled_width;
  const size_t x = index % pooled_width;
  const size_t channel = plane % s.conv.out_channels;

  float greatest = -1;  // the lower bound of tanh
  for (size_t i = 2 * y; i < 2 * y + 2; ++i) {
    for (size_t j = 2 * x; j < 2 * x + 2; ++j) {
      const float value = s.conv.output[plane * s.conv_positions() + i * s.conv.width.output + j];
      const float normalized = (value - s.mean[channel]) * s.inverse_deviation[channel];
      greatest = fmaxf(greatest, tanhf(normalized * s.bn_weight[channel] + s.bn_bias[channel]));
    }
  }
  s.pooled[index] = greatest;
}

// A block for each group of a sample; the values of a group lie side by side.
__global__ void group_norm(Steps s) {
  const size_t count = s.conv.out_channels / s.num_groups * s.pooled_positions();
  const size_t start = blockIdx.x * count;
  const Moments found = moments(s.pooled + start, 1, 0, count);
  for (size_t i = start + threadIdx.x; i < start + count; i += threads) {
    const size_t channel = i / s.pooled_positions() % s.conv.out_channels;
    s.output[i] =
        (s.pooled[i] - found.mean) * found.inverse_deviation * s.gn_weight[channel] + s.gn_bias[channel];
  }
}

// What follows the statistics of the batch, without a mistake.
inline void finish(const Steps& s) {
  normalize_tanh_max_pool<<<blocks_for(s.planes() * s.pooled_positions()), threads>>>(s);
  group_norm<<<(unsigned)(s.conv.batch_size * s.num_groups), threads>>>(s);
}

// All steps, without a mistake.
inline void take_steps(const Steps& s) {
  convolve(s.conv);
  channel_statistics<<<(unsigned)s.conv.out_channels, threads>>>(s);
  finish(s);
}

void run(Steps plain);

extern "C" void solution(const float* input, const float* kernel, const float* bn_weight,
                         const float* bn_bias, const float* gn_weight, const float* gn_bias, float* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,
                         size_t padding_h, size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t groups, size_t num_groups) {
  const Convolution conv =
      convolution(input, kernel, nullptr, batch_size, in_channels, out_channels, groups, no_depth(),
                  axis_of(height, kernel_h, stride_h, padding_h, output_padding_h, 1),
                  axis_of(width, kernel_w, stride_w, padding_w, output_padding_w, 1));
  Steps s = {conv, bn_weight, bn_bias, gn_weight, gn_bias, output, num_groups};
  // One allocation for all that lies between the steps.
  const size_t pooled_count = s.planes() * s.pooled_positions();
  float* memory = nullptr;
  const size_t floats = s.conv.count() + pooled_count + 2 * out_channels;
  if (cudaMalloc(&memory, floats * sizeof(float)) != cudaSuccess) return;
  s.conv.output = memory;
  s.pooled = s.conv.output + s.conv.count();
  s.mean = s.pooled + pooled_count;
  s.inverse_deviation = s.mean + out_channels;
  run(s);
  cudaFree(memory);
}
