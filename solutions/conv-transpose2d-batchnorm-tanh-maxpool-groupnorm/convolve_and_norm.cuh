// The five layers at either precision: how the convolution's result gets to its memory, the plain kernel for
// what products cannot do, and the order in which kernels are launched. Tiles and operands' halves are Knobs
// (stream_work.cuh).
#pragma once

#include "norms.cuh"
#include "stream_products.cuh"

// Results to the convolution's memory: through shared memory, so that a store's lanes write neighbours. Each
// channel's sum and sum of squares are added to the statistics, which is of use if there is one pass.
struct WriteResult {
  float* conv;
  double* statistics;

  template <int count>
  __device__ void operator()(const Shape& shape, const Tile& tile, const float (&sums)[count],
                             unsigned first_pixel, float* staged) const {
    const int columns = count * 2, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int first_channel = tile.first_channel + 16 * warp;
    const int left = shape.out_channels - first_channel, channels = left < 16 ? left : 16;
    const long long plane = conv_plane(shape);
    float total[2] = {}, squares[2] = {};  // of the lane's channels, 8 apart
#pragma unroll
    for (int begin = 0; begin < columns; begin += 32) {
      const unsigned pixel = first_pixel + begin + lane;
      const Position q = position_of(pixel, shape.y, shape.x);
      const int x = output_of(shape.x, q.x, tile.phase_x), y = output_of(shape.y, q.y, tile.phase_y);
      const bool valid = begin + lane < columns && pixel < shape.pixels && x >= 0 && y >= 0;
      const unsigned valid_lanes = __ballot_sync(~0u, valid);
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (begin + 8 * j >= columns) continue;
        const int column = 8 * j + lane % 4 * 2;
        const unsigned own_valid = valid_lanes >> column;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int from = (begin / 8 + j) * 4 + 2 * r;
          const float2 pair = make_float2(sums[from], sums[from + 1]);
          *reinterpret_cast<float2*>(staged + (8 * r + lane / 4) * staged_pitch + column) = pair;
          const float first = own_valid & 1 ? pair.x : 0.0f, second = own_valid & 2 ? pair.y : 0.0f;
          total[r] += first + second;
          squares[r] = fmaf(first, first, fmaf(second, second, squares[r]));
        }
      }
      __syncwarp();
      if (valid) {
        const long long channel = static_cast<long long>(q.sample) * shape.out_channels + first_channel;
        float* target = conv + channel * plane + static_cast<long long>(y) * shape.x.output + x;
        for (int c = 0; c < channels; ++c) {
          const float before = shape.first_chunk > 0 ? target[c * plane] : 0.0f;
          target[c * plane] = before + staged[c * staged_pitch + lane];
        }
      }
    }
    // Four lanes have a channel between them. Afterwards each of them has one of four sums to add.
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      for (int distance = 1; distance < 4; distance *= 2) {
        total[r] += __shfl_xor_sync(~0u, total[r], distance);
        squares[r] += __shfl_xor_sync(~0u, squares[r], distance);
      }
    }
    const int r = lane / 2 % 2, channel = 8 * r + lane / 4;
    if (channel >= channels) return;
    const int copy = blockIdx.x % copies;
    double* target = statistics + (copy * shape.out_channels + first_channel + channel) * 2 + lane % 2;
    const float upper = r == 0 ? total[0] : total[1], lower = r == 0 ? squares[0] : squares[1];
    atomicAdd(target, static_cast<double>(lane % 2 == 0 ? upper : lower));
  }
};

// The convolution where products cannot do it: values that halves cannot hold, too many taps, too
// little memory.
__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* conv, Shape shape, const Range* range) {
  if (range != nullptr && !range->is_left()) return;
  const long long in_plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const long long weights_of_channel =
      static_cast<long long>(shape.out_channels) * shape.y.taps * shape.x.taps;
  const long long count = static_cast<long long>(shape.batch_size) * shape.out_channels * conv_plane(shape);
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
    const int x = static_cast<int>(index % shape.x.output) + shape.x.padding;
    const int y = static_cast<int>(index % conv_plane(shape) / shape.x.output) + shape.y.padding;
    const int out_channel = static_cast<int>(index / conv_plane(shape) % shape.out_channels);
    const float* own_input =
        input + index / conv_plane(shape) / shape.out_channels * shape.in_channels * in_plane;
    const float* own_kernel = kernel + static_cast<long long>(out_channel) * shape.y.taps * shape.x.taps;
    float sum = 0.0f;
    for (int k = y % shape.y.stride; k < shape.y.taps && k <= y; k += shape.y.stride) {
      const int row = (y - k) / shape.y.stride;
      if (row >= shape.y.input) continue;
      for (int l = x % shape.x.stride; l < shape.x.taps && l <= x; l += shape.x.stride) {
        const int column = (x - l) / shape.x.stride;
        if (column >= shape.x.input) continue;
        for (int c = 0; c < shape.in_channels; ++c) {
          sum = fmaf(own_input[c * in_plane + static_cast<long long>(row) * shape.x.input + column],
                     own_kernel[c * weights_of_channel + k * shape.x.taps + l], sum);
        }
      }
    }
    conv[index] = sum;
  }
}

// What follows the convolution. `factors` is for what does not fit into shared memory.
inline void launch_finish(const float* conv, const double* statistics, float2* factors, float* output,
                          const Norms& norms, const Shape& shape, int channels, InShared in_shared) {
  const int height = shape.y.output / 2, width = shape.x.output / 2;
  const dim3 grid(shape.batch_size * (shape.out_channels / channels));
  const size_t factor_bytes = sizeof(float2) * channels;
  if (in_shared == InShared::all) {
    finish<InShared::all><<<grid, threads, factor_bytes + sizeof(float) * channels * height * width>>>(
        conv, statistics, output, norms, shape, channels, Divisor(height * width), Divisor(width), factors);
  } else if (in_shared == InShared::factors) {
    finish<InShared::factors><<<grid, threads, factor_bytes>>>(conv, statistics, output, norms, shape,
                                                               channels, Divisor(1), Divisor(1), factors);
  } else {
    finish<InShared::nothing><<<grid, threads>>>(conv, statistics, output, norms, shape, channels, Divisor(1),
                                                 Divisor(1), factors);
  }
}

template <class K>
void solve(const float* input, const float* kernel, const Norms& norms, float* output, const Shape& shape,
           int num_groups) {
  const int out_channels = shape.out_channels, channels = out_channels / num_groups;
  const InShared in_shared = in_shared_of(shape, channels);
  // The range, the sums for batch norm, factors, and the convolution's result.
  const size_t statistics_bytes = sizeof(double) * copies * 2 * out_channels;
  const size_t factor_bytes =
      in_shared == InShared::nothing ? sizeof(float2) * shape.batch_size * out_channels : 0;
  const size_t conv_bytes = sizeof(float) * shape.batch_size * out_channels * conv_plane(shape);
  char* scratch = nullptr;
  // Without memory for the result there is no other way: the error is left for the caller to find.
  if (cudaMallocAsync(&scratch, 256 + statistics_bytes + factor_bytes + conv_bytes, nullptr) != cudaSuccess)
    return;
  Range* range = reinterpret_cast<Range*>(scratch);
  double* statistics = reinterpret_cast<double*>(scratch + 256);
  float2* factors = reinterpret_cast<float2*>(scratch + 256 + statistics_bytes);
  float* conv = reinterpret_cast<float*>(scratch + 256 + statistics_bytes + factor_bytes);
  cudaMemsetAsync(scratch, 0, 256 + statistics_bytes, nullptr);

  const int passes = launch_products<K>(input, kernel, WriteResult{conv, statistics}, shape, range);
  plain<<<1024, threads>>>(input, kernel, conv, shape, passes > 0 ? range : nullptr);
  plain_statistics<<<out_channels, threads>>>(conv, statistics, shape, passes == 1 ? range : nullptr);
  launch_finish(conv, statistics, factors, output, norms, shape, channels, in_shared);
  cudaFreeAsync(scratch, nullptr);
}

inline Shape shape_of(size_t batch_size, size_t in_channels, size_t out_channels, size_t height, size_t width,
                      size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                      size_t padding_w, size_t output_padding_h, size_t output_padding_w) {
  Shape shape = {};
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = 1;
  shape.in_channels = static_cast<int>(in_channels);
  shape.out_channels = static_cast<int>(out_channels);
  return shape;
}

#define SOLUTION(K)                                                                                        \
  extern "C" void solution(const float* input, const float* kernel, const float* bn_weight,                \
                           const float* bn_bias, const float* gn_weight, const float* gn_bias,             \
                           float* output, size_t batch_size, size_t in_channels, size_t out_channels,      \
                           size_t height, size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, \
                           size_t stride_w, size_t padding_h, size_t padding_w, size_t output_padding_h,   \
                           size_t output_padding_w, size_t, size_t num_groups) {                           \
    const Norms norms = {bn_weight, bn_bias, gn_weight, gn_bias};                                          \
    solve<K>(input, kernel, norms, output,                                                                 \
             shape_of(batch_size, in_channels, out_channels, height, width, kernel_h, kernel_w, stride_h,  \
                      stride_w, padding_h, padding_w, output_padding_h, output_padding_w),                 \
             static_cast<int>(num_groups));                                                                \
  }
