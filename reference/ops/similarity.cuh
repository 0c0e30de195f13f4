// Distances and angles between the rows of two matrices.
#pragma once

#include <cmath>

#include "ops/loss.cuh"

namespace ops {

// The term of a dot product.
struct DotTerm {
  const element* a;
  const element* b;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const {
    return static_cast<accumulator>(a[offset]) * static_cast<accumulator>(b[offset]);
  }
};

// The term of a squared distance, with the small shift of PyTorch's pairwise_distance.
struct SquaredDistance {
  const element* a;
  const element* b;
  accumulator shift;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const {
    const accumulator difference =
        static_cast<accumulator>(a[offset]) - static_cast<accumulator>(b[offset]) + shift;
    return difference * difference;
  }
};

// 1 - cos of the angle, from the dot product and the squared lengths; lengths are at least epsilon.
struct CosineDistance {
  accumulator epsilon;
  __device__ accumulator operator()(accumulator product, accumulator squared_a, accumulator squared_b) const {
    const accumulator length_a = std::fmax(std::sqrt(squared_a), epsilon);
    const accumulator length_b = std::fmax(std::sqrt(squared_b), epsilon);
    return 1 - product / (length_a * length_b);
  }
};

// The loss of a row, from its squared distances: the distance by which the negative is too near to be
// `margin` farther away than the positive.
struct TripletTerm {
  const accumulator* squared_positive;
  const accumulator* squared_negative;
  accumulator margin;
  __device__ accumulator operator()(std::int64_t row, std::int64_t) const {
    const accumulator loss = std::sqrt(squared_positive[row]) - std::sqrt(squared_negative[row]) + margin;
    return loss > 0 ? loss : accumulator(0);
  }
};

}  // namespace ops
