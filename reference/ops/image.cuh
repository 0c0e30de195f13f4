// Filters on images: matrices of height x width pixels, row-major. A thread computes one pixel.
#pragma once

#include <cmath>

#include "ops/launch.cuh"

namespace ops {

struct ImageShape {
  std::int64_t height = 1;
  std::int64_t width = 1;

  __host__ __device__ std::int64_t pixels() const { return height * width; }
};

inline ImageShape image_shape(std::size_t height, std::size_t width) {
  return {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width)};
}

__device__ inline accumulator pixel(const element* image, const ImageShape& shape, std::int64_t y, std::int64_t x) {
  return static_cast<accumulator>(image[y * shape.width + x]);
}

// The mean of the pixels in a window of `size` x `size` around each pixel, over the part that lies in the
// image.
__global__ void box_blur_kernel(const element* image, element* output, ImageShape shape, std::int64_t size) {
  const std::int64_t at = position_in_plane();
  if (at >= shape.pixels()) return;
  const std::int64_t y = at / shape.width, x = at % shape.width, reach = size / 2;
  accumulator sum = 0;
  std::int64_t count = 0;
  for (std::int64_t row = y - reach; row <= y + reach; ++row) {
    if (row < 0 || row >= shape.height) continue;
    accumulator of_row = 0;
    for (std::int64_t column = x - reach; column <= x + reach; ++column) {
      if (column < 0 || column >= shape.width) continue;
      of_row += pixel(image, shape, row, column);
      ++count;
    }
    sum += of_row;
  }
  output[at] = static_cast<element>(sum / static_cast<accumulator>(count));
}

inline void box_blur(const element* image, element* output, const ImageShape& shape, std::int64_t size) {
  box_blur_kernel<<<plane_grid(1, shape.pixels()), threads_per_block>>>(image, output, shape, size);
}

// The length of the gradient, by central differences; 0 in the outermost rows and columns.
__global__ void gradient_kernel(const element* image, accumulator* output, ImageShape shape) {
  const std::int64_t at = position_in_plane();
  if (at >= shape.pixels()) return;
  const std::int64_t y = at / shape.width, x = at % shape.width;
  output[at] = 0;
  if (y == 0 || x == 0 || y == shape.height - 1 || x == shape.width - 1) return;
  const accumulator dx = (pixel(image, shape, y, x + 1) - pixel(image, shape, y, x - 1)) / 2;
  const accumulator dy = (pixel(image, shape, y + 1, x) - pixel(image, shape, y - 1, x)) / 2;
  output[at] = std::sqrt(dx * dx + dy * dy);
}

// The largest of the values that each block goes over.
__global__ void largest_kernel(const accumulator* values, accumulator* largest, std::int64_t count) {
  __shared__ accumulator partial[threads_per_block];
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  accumulator mine = 0;
  for (std::int64_t i = position_in_plane(); i < count; i += threads)
    mine = values[i] > mine ? values[i] : mine;
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && partial[threadIdx.x + half] > partial[threadIdx.x])
      partial[threadIdx.x] = partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) largest[blockIdx.x] = partial[0];
}

__global__ void scale_to_255_kernel(const accumulator* values, const accumulator* largest, element* output,
                                    std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  output[at] = static_cast<element>(*largest > 0 ? values[at] / *largest * 255 : values[at]);
}

// The gradient, scaled so that its largest value is 255.
inline void edges(const element* image, element* output, const ImageShape& shape) {
  const Intermediate gradient(shape.pixels());
  const std::int64_t blocks = smaller(elementwise_blocks(shape.pixels()), 1024);
  const Intermediate largest_of_blocks(blocks);
  const Intermediate largest(1);
  if (gradient.data() == nullptr || largest_of_blocks.data() == nullptr || largest.data() == nullptr) return;
  const dim3 grid = plane_grid(1, shape.pixels());
  gradient_kernel<<<grid, threads_per_block>>>(image, gradient.data(), shape);
  largest_kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(
      gradient.data(), largest_of_blocks.data(), shape.pixels());
  largest_kernel<<<1, threads_per_block>>>(largest_of_blocks.data(), largest.data(), blocks);
  scale_to_255_kernel<<<grid, threads_per_block>>>(gradient.data(), largest.data(), output, shape.pixels());
}

// The brightness of pixels of red, green and blue: the luma of ITU-R BT.601.
__global__ void brightness_kernel(const element* image, element* output, std::int64_t pixels) {
  const std::int64_t at = position_in_plane();
  if (at >= pixels) return;
  const element* const rgb = image + 3 * at;
  output[at] = static_cast<element>(accumulator(0.299) * static_cast<accumulator>(rgb[0]) +
                                    accumulator(0.587) * static_cast<accumulator>(rgb[1]) +
                                    accumulator(0.114) * static_cast<accumulator>(rgb[2]));
}

inline void brightness(const element* image, element* output, const ImageShape& shape) {
  brightness_kernel<<<plane_grid(1, shape.pixels()), threads_per_block>>>(image, output, shape.pixels());
}

// 255 where a pixel is brighter than the limit, else 0.
__global__ void brighter_kernel(const element* image, element* output, std::int64_t pixels, float limit) {
  const std::int64_t at = position_in_plane();
  if (at >= pixels) return;
  output[at] = static_cast<element>(static_cast<float>(image[at]) > limit ? 255.0f : 0.0f);
}

inline void brighter(const element* image, element* output, const ImageShape& shape, float limit) {
  brighter_kernel<<<plane_grid(1, shape.pixels()), threads_per_block>>>(image, output, shape.pixels(), limit);
}

// Counts the pixels of each value 0, 1, ... of at most threads_per_block values. A block counts some of the
// pixels. Sums of whole numbers do not depend on their order.
__global__ void count_values_kernel(const element* image, unsigned* counts, unsigned values,
                                    std::int64_t pixels) {
  __shared__ unsigned partial[threads_per_block];
  partial[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < pixels; i += threads) {
    const unsigned value = static_cast<unsigned>(image[i]);
    if (value < values) atomicAdd(&partial[value], 1u);
  }
  __syncthreads();
  if (threadIdx.x < values) atomicAdd(&counts[threadIdx.x], partial[threadIdx.x]);
}

// Counts are exact up to 2^24.
__global__ void write_counts_kernel(const unsigned* counts, element* output, std::int64_t values) {
  const std::int64_t at = position_in_plane();
  if (at < values) output[at] = static_cast<element>(static_cast<float>(counts[at]));
}

inline void count_values(const element* image, element* output, std::int64_t values,
                         const ImageShape& shape) {
  const Intermediate memory(values);
  if (memory.data() == nullptr) return;
  auto* const counts = reinterpret_cast<unsigned*>(memory.data());
  cudaMemsetAsync(counts, 0, static_cast<std::size_t>(values) * sizeof(unsigned));
  const auto blocks = static_cast<unsigned>(smaller(elementwise_blocks(shape.pixels()), 1024));
  count_values_kernel<<<blocks, threads_per_block>>>(image, counts, static_cast<unsigned>(values),
                                                     shape.pixels());
  write_counts_kernel<<<1, threads_per_block>>>(counts, output, values);
}

}  // namespace ops
