// ConvTranspose2D, BatchNorm, Tanh, MaxPool and GroupNorm, the plain way: one kernel a step.
//
// Two steps need sums over many elements before the next can start (the statistics of a channel over the
// batch, and those of a group of channels in a sample), so each of them is a kernel in which one block forms
// the sums of one channel or group. In the other kernels each thread computes one element of its result.
#include <cuda_runtime.h>

#include <cmath>

const int threads = 256;
const float epsilon = 1e-5f;

unsigned blocks_for(size_t count) { return (unsigned)((count + threads - 1) / threads); }

__global__ void conv_transpose_2d(const float* input, const float* kernel, float* conv, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t height, size_t width,
                                  size_t conv_height, size_t conv_width, size_t kernel_h, size_t kernel_w,
                                  size_t stride_h, size_t stride_w, size_t padding_h, size_t padding_w) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * conv_height * conv_width) return;
  const size_t x = index % conv_width;
  const size_t y = index / conv_width % conv_height;
  const size_t out_channel = index / conv_width / conv_height % out_channels;
  const size_t sample = index / conv_width / conv_height / out_channels;

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
      for (size_t c = 0; c < in_channels; ++c) {
        sum += input[((sample * in_channels + c) * height + i) * width + j] *
               kernel[((c * out_channels + out_channel) * kernel_h + k) * kernel_w + l];
      }
    }
  }
  conv[index] = sum;
}

// The sum of one value from each thread of the block.
__device__ float block_sum(float value) {
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

// Mean and 1 / sqrt(variance + epsilon) of channel blockIdx.x, over all samples and positions.
__global__ void channel_statistics(const float* conv, float* mean, float* inverse_deviation,
                                   size_t batch_size, size_t channels, size_t positions) {
  const size_t channel = blockIdx.x;
  float sum = 0;
  for (size_t sample = 0; sample < batch_size; ++sample) {
    const float* plane = conv + (sample * channels + channel) * positions;
    for (size_t i = threadIdx.x; i < positions; i += threads) sum += plane[i];
  }
  const float channel_mean = block_sum(sum) / (float)(batch_size * positions);

  float squares = 0;
  for (size_t sample = 0; sample < batch_size; ++sample) {
    const float* plane = conv + (sample * channels + channel) * positions;
    for (size_t i = threadIdx.x; i < positions; i += threads) {
      squares += (plane[i] - channel_mean) * (plane[i] - channel_mean);
    }
  }
  const float variance = block_sum(squares) / (float)(batch_size * positions);
  if (threadIdx.x == 0) {
    mean[channel] = channel_mean;
    inverse_deviation[channel] = 1.0f / sqrtf(variance + epsilon);
  }
}

__global__ void normalize_tanh_max_pool(const float* conv, const float* mean, const float* inverse_deviation,
                                        const float* bn_weight, const float* bn_bias, float* pooled,
                                        size_t batch_size, size_t channels, size_t conv_height,
                                        size_t conv_width) {
  const size_t out_height = conv_height / 2;
  const size_t out_width = conv_width / 2;
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * channels * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t plane = index / out_width / out_height;
  const size_t channel = plane % channels;

  float greatest = -1;  // the lower bound of tanh
  for (size_t i = 2 * y; i < 2 * y + 2; ++i) {
    for (size_t j = 2 * x; j < 2 * x + 2; ++j) {
      const float value = conv[(plane * conv_height + i) * conv_width + j];
      const float normalized = (value - mean[channel]) * inverse_deviation[channel];
      greatest = fmaxf(greatest, tanhf(normalized * bn_weight[channel] + bn_bias[channel]));
    }
  }
  pooled[index] = greatest;
}

// Block b normalizes group b, counted over all samples; the values of a group lie side by side.
__global__ void group_norm(const float* pooled, const float* gn_weight, const float* gn_bias, float* output,
                           size_t channels, size_t channels_per_group, size_t positions) {
  const size_t count = channels_per_group * positions;
  const size_t start = blockIdx.x * count;
  float sum = 0;
  for (size_t i = threadIdx.x; i < count; i += threads) sum += pooled[start + i];
  const float mean = block_sum(sum) / (float)count;

  float squares = 0;
  for (size_t i = threadIdx.x; i < count; i += threads) {
    squares += (pooled[start + i] - mean) * (pooled[start + i] - mean);
  }
  const float inverse_deviation = 1.0f / sqrtf(block_sum(squares) / (float)count + epsilon);

  for (size_t i = threadIdx.x; i < count; i += threads) {
    const size_t channel = (start + i) / positions % channels;
    output[start + i] =
        (pooled[start + i] - mean) * inverse_deviation * gn_weight[channel] + gn_bias[channel];
  }
}

extern "C" void solution(const float* input, const float* kernel, const float* bn_weight,
                         const float* bn_bias, const float* gn_weight, const float* gn_bias, float* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,
                         size_t padding_h, size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t groups, size_t num_groups) {
  (void)groups;  // always 1
  const size_t conv_height = (height - 1) * stride_h + kernel_h + output_padding_h - 2 * padding_h;
  const size_t conv_width = (width - 1) * stride_w + kernel_w + output_padding_w - 2 * padding_w;
  const size_t conv_positions = conv_height * conv_width;
  const size_t out_positions = (conv_height / 2) * (conv_width / 2);
  const size_t planes = batch_size * out_channels;

  // One allocation for all that lies between the steps.
  float* memory = nullptr;
  const size_t floats = planes * conv_positions + planes * out_positions + 2 * out_channels;
  if (cudaMalloc(&memory, floats * sizeof(float)) != cudaSuccess) return;
  float* conv = memory;
  float* pooled = conv + planes * conv_positions;
  float* mean = pooled + planes * out_positions;
  float* inverse_deviation = mean + out_channels;

  conv_transpose_2d<<<blocks_for(planes * conv_positions), threads>>>(
      input, kernel, conv, batch_size, in_channels, out_channels, height, width, conv_height, conv_width,
      kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w);
  channel_statistics<<<(unsigned)out_channels, threads>>>(conv, mean, inverse_deviation, batch_size,
                                                          out_channels, conv_positions);
  normalize_tanh_max_pool<<<blocks_for(planes * out_positions), threads>>>(
      conv, mean, inverse_deviation, bn_weight, bn_bias, pooled, batch_size, out_channels, conv_height,
      conv_width);
  group_norm<<<(unsigned)(batch_size * num_groups), threads>>>(
      pooled, gn_weight, gn_bias, output, out_channels, out_channels / num_groups, out_positions);
  cudaFree(memory);
}
