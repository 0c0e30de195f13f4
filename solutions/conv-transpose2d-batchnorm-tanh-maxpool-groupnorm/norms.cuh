// Batch norm's sums, and what follows the convolution: batch norm, tanh, max pool and group norm in one pass.
// - Batch norm and tanh are monotonic: the largest of four is tanh of the largest (or, where the channel's
//   factor is negative, of the smallest) convolution, so that `finish` computes one tanh for four.
// - A block of `finish` has one group of one sample, and keeps its pooled values in shared memory for group
//   norm.
#pragma once

#include <type_traits>

#include "stream_products.cuh"

const int copies = 16;  // of the sums for batch norm, so that fewer blocks add to the same one
const double epsilon = 1e-5;

__host__ __device__ inline long long conv_plane(const Shape& shape) {
  return static_cast<long long>(shape.y.output) * shape.x.output;
}

// The sum of one value from each thread of the block.
template <class Number>
__device__ Number block_sum(Number value, Number* partial) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  Number sum = 0;
  for (int warp = 0; warp < threads / 32; ++warp) sum += partial[warp];
  __syncthreads();  // nobody may write to `partial` again before all have read it
  return sum;
}

// Block: a channel.
__global__ void __launch_bounds__(threads)
    plain_statistics(const float* conv, double* statistics, Shape shape, const Range* range) {
  if (range != nullptr && !range->is_left()) return;
  __shared__ double partial[threads / 32];
  double sum = 0, squares = 0;
  for (int sample = 0; sample < shape.batch_size; ++sample) {
    const float* plane =
        conv + (static_cast<long long>(sample) * shape.out_channels + blockIdx.x) * conv_plane(shape);
    for (long long i = threadIdx.x; i < conv_plane(shape); i += threads) {
      sum += plane[i];
      squares += static_cast<double>(plane[i]) * plane[i];
    }
  }
  sum = block_sum(sum, partial);
  squares = block_sum(squares, partial);
  if (threadIdx.x >= copies) return;  // what products have added is no use
  double* target = statistics + (threadIdx.x * shape.out_channels + blockIdx.x) * 2;
  target[0] = threadIdx.x == 0 ? sum : 0.0;
  target[1] = threadIdx.x == 0 ? squares : 0.0;
}

// ---- What follows the convolution.

struct Norms {
  const float *bn_weight, *bn_bias, *gn_weight, *gn_bias;
};

// Batch norm of a channel as value * factor + summand.
__device__ inline float2 batch_norm_of(int channel, const double* statistics, const Norms& norms,
                                       const Shape& shape) {
  double sum = 0, squares = 0;
  for (int copy = 0; copy < copies; ++copy) {
    sum += statistics[(copy * shape.out_channels + channel) * 2];
    squares += statistics[(copy * shape.out_channels + channel) * 2 + 1];
  }
  const double count = static_cast<double>(shape.batch_size) * static_cast<double>(conv_plane(shape));
  const double mean = sum / count, variance = fmax(squares / count - mean * mean, 0.0);
  const double factor = norms.bn_weight[channel] / sqrt(variance + epsilon);
  return make_float2(static_cast<float>(factor), static_cast<float>(norms.bn_bias[channel] - mean * factor));
}

// Division by a number that stays the same. Exact while dividend times divisor is below 2^32.
struct Divisor {
  unsigned divisor, reciprocal;

  explicit Divisor(int number)
      : divisor(number), reciprocal(static_cast<unsigned>(((1ull << 32) + divisor - 1) / divisor)) {}
  __device__ int quotient(int dividend) const {
    return divisor == 1 ? dividend : static_cast<int>(__umulhi(dividend, reciprocal));
  }
};

// Off by at most some 1e-7: what counts is its distance from the mean of its group.
__device__ inline float fast_tanh(float x) { return 1.0f - 2.0f * __frcp_rn(__expf(2.0f * x) + 1.0f); }

// The largest of the four at `corner`, or the smallest for a negative factor.
__device__ inline float pooled(const float* corner, int pitch, float factor) {
  const float sign = factor < 0.0f ? -1.0f : 1.0f;
  float2 upper, lower;
  if (pitch % 2 == 0) {  // then corners lie at even places
    upper = __ldcs(reinterpret_cast<const float2*>(corner));
    lower = __ldcs(reinterpret_cast<const float2*>(corner + pitch));
  } else {
    upper = make_float2(corner[0], corner[1]);
    lower = make_float2(corner[pitch], corner[pitch + 1]);
  }
  return sign * fmaxf(fmaxf(sign * upper.x, sign * upper.y), fmaxf(sign * lower.x, sign * lower.y));
}

// What a block of `finish` has in shared memory. Values lie in the output otherwise, where each thread reads
// what it wrote itself, and factors in memory.
enum class InShared { all, factors, nothing };

// For groups of `channels`. There are 48 KiB for a block that asks for no more; `partial` takes some of them.
inline InShared in_shared_of(const Shape& shape, int channels) {
  const size_t most_bytes = (48 << 10) - 256, factor_bytes = sizeof(float2) * channels;
  const size_t values = static_cast<size_t>(channels) * (shape.y.output / 2) * (shape.x.output / 2);
  if (factor_bytes + sizeof(float) * values <= most_bytes) return InShared::all;
  const bool has_short_indices = values < 1u << 30;
  return factor_bytes <= most_bytes && has_short_indices ? InShared::factors : InShared::nothing;
}

// Block: a group of `channels` in a sample, the last one first: the cache may still have it. `all_factors` is
// for all samples' channels, where shared memory has nothing.
template <InShared in_shared>
__global__ void __launch_bounds__(threads)
    finish(const float* __restrict__ conv, const double* __restrict__ statistics, float* output, Norms norms,
           Shape shape, int channels, Divisor by_positions, Divisor by_width, float2* all_factors) {
  using Index = std::conditional_t<in_shared == InShared::nothing, long long, int>;
  constexpr bool kept = in_shared == InShared::all;
  extern __shared__ uint4 shared[];
  __shared__ float partial[threads / 32];
  const int width = shape.x.output / 2;
  const Index positions = static_cast<Index>(shape.y.output / 2) * width, count = channels * positions;
  const long long first_plane = static_cast<long long>(gridDim.x - 1 - blockIdx.x) * channels;
  float2* const factors = in_shared == InShared::nothing
                              ? all_factors + first_plane
                              : reinterpret_cast<float2*>(shared);  // then the values
  const int first_channel = static_cast<int>(first_plane % shape.out_channels);
  float* target = output + first_plane * positions;
  float* values = kept ? reinterpret_cast<float*>(factors + channels) : target;
  for (int c = threadIdx.x; c < channels; c += threads) {
    factors[c] = batch_norm_of(first_channel + c, statistics, norms, shape);
  }
  __syncthreads();

  float sum = 0.0f;
  for (Index i = threadIdx.x; i < count; i += threads) {
    const int c = static_cast<int>(kept ? by_positions.quotient(i) : i / positions);
    const Index position = i - c * positions;
    const int y = static_cast<int>(kept ? by_width.quotient(position) : position / width);
    const int x = static_cast<int>(position - static_cast<Index>(y) * width);
    const float* corner =
        conv + (first_plane + c) * conv_plane(shape) + static_cast<long long>(2 * y) * shape.x.output + 2 * x;
    const float2 factor = factors[c];
    values[i] = fast_tanh(fmaf(pooled(corner, shape.x.output, factor.x), factor.x, factor.y));
    sum += values[i];
  }
  const float mean = block_sum(sum, partial) / static_cast<float>(count);
  float squares = 0.0f;
  for (Index i = threadIdx.x; i < count; i += threads) squares += (values[i] - mean) * (values[i] - mean);
  const float variance = block_sum(squares, partial) / static_cast<float>(count);
  const float inverse_deviation = 1.0f / sqrtf(variance + static_cast<float>(epsilon));
  for (Index i = threadIdx.x; i < count; i += threads) {
    const int channel = first_channel + static_cast<int>(kept ? by_positions.quotient(i) : i / positions);
    target[i] = (values[i] - mean) * inverse_deviation * norms.gn_weight[channel] + norms.gn_bias[channel];
  }
}
