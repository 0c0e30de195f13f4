// The convolution at either precision: how results get to the output, the plain kernel for what products
// cannot do, and the order in which kernels are launched. Tiles and operands' halves are Knobs
// (stream_work.cuh).
#pragma once

#include "stream_products.cuh"

// Results to the output: through shared memory, so that a store's lanes write neighbours.
struct WriteOutput {
  float* output;

  template <int count>
  __device__ void operator()(const Shape& shape, const Tile& tile, const float (&sums)[count],
                             unsigned first_pixel, float* staged) const {
    const int columns = count * 2, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int first_channel = tile.first_channel + 16 * warp;
    const int left = shape.out_channels - first_channel, channels = left < 16 ? left : 16;
    const long long plane = static_cast<long long>(shape.y.output) * shape.x.output;
#pragma unroll
    for (int begin = 0; begin < columns; begin += 32) {
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (begin + 8 * j >= columns) continue;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int from = (begin / 8 + j) * 4 + 2 * r;
          float* target = staged + (8 * r + lane / 4) * staged_pitch + 8 * j + lane % 4 * 2;
          *reinterpret_cast<float2*>(target) = make_float2(sums[from], sums[from + 1]);
        }
      }
      __syncwarp();
      const unsigned pixel = first_pixel + begin + lane;
      const Position q = position_of(pixel, shape.y, shape.x);
      const int x = output_of(shape.x, q.x, tile.phase_x), y = output_of(shape.y, q.y, tile.phase_y);
      if (begin + lane >= columns || pixel >= shape.pixels || x < 0 || y < 0) continue;
      const long long channel =
          (static_cast<long long>(q.sample) * shape.groups + tile.group) * shape.out_channels + first_channel;
      float* target = output + channel * plane + static_cast<long long>(y) * shape.x.output + x;
      for (int c = 0; c < channels; ++c) {
        const float before = shape.first_chunk > 0 ? target[c * plane] : 0.0f;
        __stcs(target + c * plane, before + staged[c * staged_pitch + lane]);
      }
    }
  }
};

// What products cannot do: values that halves cannot hold, too many taps, more memory than there is.
__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* output, Shape shape, const Range* range) {
  if (range != nullptr && !range->is_left()) return;
  const long long out_plane = static_cast<long long>(shape.y.output) * shape.x.output;
  const long long in_plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const int out_channels = shape.groups * shape.out_channels, taps = shape.y.taps * shape.x.taps;
  const long long count = static_cast<long long>(shape.batch_size) * out_channels * out_plane;
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
    const int x = static_cast<int>(index % shape.x.output) + shape.x.padding;
    const int y = static_cast<int>(index % out_plane / shape.x.output) + shape.y.padding;
    const int out_channel = static_cast<int>(index / out_plane % out_channels);
    const int group = out_channel / shape.out_channels;
    const long long sample = index / out_plane / out_channels;
    const float* own_input = input + (sample * shape.groups + group) * shape.in_channels * in_plane;
    const float* own_kernel =
        kernel + (static_cast<long long>(group) * shape.in_channels * shape.out_channels +
                  out_channel % shape.out_channels) *
                     taps;
    float sum = 0.0f;
    for (int k = y % shape.y.stride; k < shape.y.taps && k <= y; k += shape.y.stride) {
      const int row = (y - k) / shape.y.stride;
      if (row >= shape.y.input) continue;
      for (int l = x % shape.x.stride; l < shape.x.taps && l <= x; l += shape.x.stride) {
        const int column = (x - l) / shape.x.stride;
        if (column >= shape.x.input) continue;
        for (int c = 0; c < shape.in_channels; ++c) {
          sum = fmaf(own_input[c * in_plane + static_cast<long long>(row) * shape.x.input + column],
                     own_kernel[static_cast<long long>(c) * shape.out_channels * taps + k * shape.x.taps + l],
                     sum);
        }
      }
    }
    output[index] = sum;
  }
}

template <class K>
void convolve(const float* input, const float* kernel, float* output, const Shape& shape) {
  Range* range = nullptr;
  bool launched = false;
  if (cudaMallocAsync(&range, sizeof(Range), nullptr) == cudaSuccess) {
    cudaMemsetAsync(range, 0, sizeof(Range), nullptr);
    launched = launch_products<K>(input, kernel, WriteOutput{output}, shape, range) > 0;
  } else {
    cudaGetLastError();
  }
  plain<<<launched ? 1024 : 4096, threads>>>(input, kernel, output, shape, launched ? range : nullptr);
  if (range != nullptr) cudaFreeAsync(range, nullptr);
}

inline Shape shape_of(size_t batch_size, size_t in_channels, size_t out_channels, size_t height, size_t width,
                      size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                      size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  Shape shape = {};
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);
  return shape;
}

#define SOLUTION(K)                                                                                          \
  extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,        \
                           size_t in_channels, size_t out_channels, size_t height, size_t width,             \
                           size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,               \
                           size_t padding_h, size_t padding_w, size_t output_padding_h,                      \
                           size_t output_padding_w, size_t groups) {                                         \
    convolve<K>(input, kernel, output,                                                                       \
                shape_of(batch_size, in_channels, out_channels, height, width, kernel_h, kernel_w, stride_h, \
                         stride_w, padding_h, padding_w, output_padding_h, output_padding_w, groups));       \
  }
