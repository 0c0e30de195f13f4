// Pooling in 1, 2 and 3 dimensions as PyTorch's MaxPool and AvgPool define it: each output is the largest input of its
// window, or the mean. Windows that do not fit completely are left out. In a maximum, positions in the padding never count;
// in a mean they count as zeros.
//
//   output[p] = over k < window: input[p * stride - padding + k * dilation], for every axis alike
//
// An unused axis has extent 1 and window 1.
#pragma once

#include <cmath>
#include <initializer_list>

#include "ops/launch.cuh"

namespace ops {

struct PoolAxis {
  std::int64_t input = 1;
  std::int64_t window = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;

  __host__ __device__ std::int64_t output() const {
    return (input + 2 * padding - dilation * (window - 1) - 1) / stride + 1;
  }
  // The input position of tap `tap`; it may lie in the padding.
  __device__ std::int64_t source(std::int64_t position, std::int64_t tap) const {
    return position * stride - padding + tap * dilation;
  }
  __device__ bool has(std::int64_t source) const { return source >= 0 && source < input; }
};

// `Integer`: any integer type that kernels take.
template <class Integer>
PoolAxis pool_axis(std::int64_t input, Integer window, Integer stride, Integer padding, Integer dilation) {
  PoolAxis axis;
  axis.input = input;
  axis.window = static_cast<std::int64_t>(window);
  axis.stride = static_cast<std::int64_t>(stride);
  axis.padding = static_cast<std::int64_t>(padding);
  axis.dilation = static_cast<std::int64_t>(dilation);
  return axis;
}

struct PoolShape {
  std::int64_t planes = 1;  // batch times channels
  PoolAxis depth;
  PoolAxis height;
  PoolAxis width;

  __host__ __device__ std::int64_t input_positions() const { return depth.input * height.input * width.input; }
  __host__ __device__ std::int64_t output_positions() const {
    return depth.output() * height.output() * width.output();
  }
  __host__ __device__ std::int64_t window_positions() const { return depth.window * height.window * width.window; }
};

// One to three axes with these extents, the last one fastest, and the same window along each.
template <class Integer>
PoolShape pool_shape(std::size_t planes, std::initializer_list<std::size_t> extents, Integer window, Integer stride,
                     Integer padding, Integer dilation = 1) {
  PoolShape shape;
  shape.planes = static_cast<std::int64_t>(planes);
  PoolAxis* const axes[] = {&shape.depth, &shape.height, &shape.width};
  std::size_t axis = 3 - extents.size();
  for (const std::size_t extent : extents) {
    *axes[axis++] = pool_axis(static_cast<std::int64_t>(extent), window, stride, padding, dilation);
  }
  return shape;
}

struct LargestOfWindow {
  accumulator value = -INFINITY;
  __device__ void add(accumulator input) { value = input > value ? input : value; }
  __device__ accumulator result(std::int64_t /*positions*/) const { return value; }
};

struct MeanOfWindow {
  accumulator sum = 0;
  __device__ void add(accumulator input) { sum += input; }
  __device__ accumulator result(std::int64_t positions) const { return sum / static_cast<accumulator>(positions); }
};

template <class Fold, class Input, class Output>
__global__ void pool_kernel(const Input* input, Output* output, PoolShape shape) {
  const std::int64_t position = position_in_plane();
  if (position >= shape.output_positions()) return;
  const std::int64_t x = position % shape.width.output();
  const std::int64_t y = position / shape.width.output() % shape.height.output();
  const std::int64_t z = position / shape.width.output() / shape.height.output();

  for (std::int64_t plane = blockIdx.y; plane < shape.planes; plane += gridDim.y) {
    const Input* const inputs = input + plane * shape.input_positions();
    Fold fold;
    for (std::int64_t kz = 0; kz < shape.depth.window; ++kz) {
      const std::int64_t iz = shape.depth.source(z, kz);
      if (!shape.depth.has(iz)) continue;
      for (std::int64_t ky = 0; ky < shape.height.window; ++ky) {
        const std::int64_t iy = shape.height.source(y, ky);
        if (!shape.height.has(iy)) continue;
        for (std::int64_t kx = 0; kx < shape.width.window; ++kx) {
          const std::int64_t ix = shape.width.source(x, kx);
          if (!shape.width.has(ix)) continue;
          fold.add(static_cast<accumulator>(inputs[(iz * shape.height.input + iy) * shape.width.input + ix]));
        }
      }
    }
    output[plane * shape.output_positions() + position] = static_cast<Output>(fold.result(shape.window_positions()));
  }
}

template <class Input, class Output>
void max_pool(const Input* input, Output* output, const PoolShape& shape) {
  const dim3 grid = plane_grid(shape.planes, shape.output_positions());
  pool_kernel<LargestOfWindow><<<grid, threads_per_block>>>(input, output, shape);
}

template <class Input, class Output>
void average_pool(const Input* input, Output* output, const PoolShape& shape) {
  const dim3 grid = plane_grid(shape.planes, shape.output_positions());
  pool_kernel<MeanOfWindow><<<grid, threads_per_block>>>(input, output, shape);
}

}  // namespace ops
