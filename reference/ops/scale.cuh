// Products of a matrix with one factor, or with one factor per row.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// One factor for all elements.
struct OneFactor {
  accumulator factor;
  __device__ accumulator at(std::int64_t) const { return factor; }
};

// The factors of a product with a diagonal matrix on the left: row i has the factor diagonal[i].
struct RowFactors {
  const element* diagonal;
  __device__ accumulator at(std::int64_t row) const { return static_cast<accumulator>(diagonal[row]); }
};

template <class Factors>
__global__ void scale_kernel(Factors factors, const element* input, element* output, std::int64_t rows,
                             std::int64_t columns) {
  const std::int64_t count = rows * columns;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < count; i += threads) {
    output[i] = static_cast<element>(factors.at(i / columns) * static_cast<accumulator>(input[i]));
  }
}

// output[i, j] = factor of row i * input[i, j].
template <class Factors>
void scale(const Factors& factors, const element* input, element* output, std::size_t rows,
           std::size_t columns) {
  const auto count = static_cast<std::int64_t>(rows * columns);
  const std::int64_t blocks = smaller((count + threads_per_block - 1) / threads_per_block, 1 << 20);
  scale_kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(
      factors, input, output, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
}

}  // namespace ops
