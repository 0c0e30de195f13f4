// The kernels of the baselines. This is all that the compiler's pass for the device has to see: what calls
// cuDNN stands behind `#ifndef __CUDA_ARCH__`, and need not be read a second time.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace baseline {

// Values from all over a tensor, for comparing it with another.
__global__ void sample_kernel(const float* tensor, float* samples, std::int64_t step, std::int64_t number) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < number) samples[i] = tensor[i * step];
}

constexpr int tile = 32;
constexpr int tile_rows_at_once = 8;

// Transposes `blockIdx.y`-th of many matrices (rows, columns), by way of a tile in shared memory so that both
// sides are read and written in order.
__global__ void transpose_kernel(const float* __restrict__ from, float* __restrict__ to, std::int64_t rows,
                                 std::int64_t columns) {
  __shared__ float held[tile][tile + 1];  // one more: no two rows begin in the same bank
  const std::int64_t tiles_across = (columns + tile - 1) / tile;
  const std::int64_t first_row = blockIdx.x / tiles_across * tile;
  const std::int64_t first_column = blockIdx.x % tiles_across * tile;
  const std::int64_t matrix = blockIdx.y * rows * columns;
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + i;
    const std::int64_t column = first_column + threadIdx.x;
    if (row < rows && column < columns) held[i][threadIdx.x] = from[matrix + row * columns + column];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + threadIdx.x;
    const std::int64_t column = first_column + i;
    if (row < rows && column < columns) to[matrix + column * rows + row] = held[threadIdx.x][i];
  }
}

// One block a plane (blockIdx.y counts samples): the channel's weight and bias are the same for all of it.
__global__ void scale_channels_kernel(const float* input, const float* weight, const float* bias,
                                      float* output, int positions) {
  const std::size_t channel = blockIdx.x;
  const std::size_t plane = blockIdx.y * static_cast<std::size_t>(gridDim.x) + channel;
  const float scale = weight[channel];
  const float shift = bias[channel];
  const std::size_t first = plane * static_cast<std::size_t>(positions);
  for (int i = threadIdx.x; i < positions; i += blockDim.x)
    output[first + i] = input[first + i] * scale + shift;
}

}  // namespace baseline
