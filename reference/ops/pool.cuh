// Max pooling in two dimensions, like PyTorch's MaxPool2d without padding and dilation: each output is the
// largest input of its window, and windows that do not fit completely are left out.
#pragma once

#include "ops/launch.cuh"

namespace ops {

struct PoolShape {
  std::int64_t planes = 1;  // batch times channels
  int height = 1;
  int width = 1;
  int window = 2;
  int stride = 2;

  __host__ __device__ int out_height() const { return (height - window) / stride + 1; }
  __host__ __device__ int out_width() const { return (width - window) / stride + 1; }
  __host__ __device__ int output_positions() const { return out_height() * out_width(); }
};

template <class Output>
__global__ void max_pool_kernel(const accumulator* input, Output* output, PoolShape shape) {
  if (position_in_plane() >= shape.output_positions()) return;
  const int position = static_cast<int>(position_in_plane());
  const int top = position / shape.out_width() * shape.stride;
  const int left = position % shape.out_width() * shape.stride;

  for (std::int64_t plane = blockIdx.y; plane < shape.planes; plane += gridDim.y) {
    const accumulator* window = input + (plane * shape.height + top) * shape.width + left;
    accumulator greatest = window[0];
    for (int y = 0; y < shape.window; ++y) {
      for (int x = 0; x < shape.window; ++x) {
        const accumulator value = window[y * shape.width + x];
        if (value > greatest) greatest = value;
      }
    }
    output[plane * shape.output_positions() + position] = static_cast<Output>(greatest);
  }
}

template <class Output>
void max_pool(const accumulator* input, Output* output, const PoolShape& shape) {
  const dim3 grid = plane_grid(shape.planes, shape.output_positions());
  max_pool_kernel<<<grid, threads_per_block>>>(input, output, shape);
}

}  // namespace ops
