// Powers of a square matrix, by one product for each factor.
#pragma once

#include "ops/product.cuh"

namespace ops {

__global__ void identity_kernel(accumulator* output, std::int64_t size) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < size * size; i += threads) {
    output[i] = i / size == i % size ? accumulator(1) : accumulator(0);
  }
}

__global__ void copy_kernel(const accumulator* input, element* output, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < count; i += threads)
    output[i] = static_cast<element>(input[i]);
}

// output = base^exponent = I base base ... base.
inline void power(const element* base, std::size_t exponent, element* output, std::int64_t size) {
  const ProductShape shape{size, size, size};
  Intermediate first(size * size);
  Intermediate second(size * size);
  accumulator* power = first.data();
  accumulator* next = second.data();
  const std::int64_t blocks = (size * size + threads_per_block - 1) / threads_per_block;
  const auto grid = static_cast<unsigned>(smaller(blocks, 1 << 20));
  identity_kernel<<<grid, threads_per_block>>>(power, size);
  for (std::size_t i = 0; i < exponent; ++i) {
    product(row_major<accumulator>(power, size), row_major(base, size), next, shape);
    accumulator* const swapped = power;
    power = next;
    next = swapped;
  }
  copy_kernel<<<grid, threads_per_block>>>(power, output, size * size);
}

}  // namespace ops
