// What is done with every element of a product before it is written: see `product`.
#pragma once

#include <cmath>

#include "ops/types.cuh"

namespace ops {

__device__ inline accumulator logistic(accumulator x) { return 1 / (1 + std::exp(-x)); }

// max(0, product + bias), with a bias for each column.
struct BiasRelu {
  const element* bias;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t column) const {
    const accumulator x = product + static_cast<accumulator>(bias[column]);
    return x > 0 ? x : accumulator(0);
  }
};

// scale * x * sigmoid(x) of x = product + bias, with a bias for each column.
struct BiasSwish {
  const element* bias;
  accumulator scale;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t column) const {
    const accumulator x = product + static_cast<accumulator>(bias[column]);
    return scale * (x * logistic(x));
  }
};

// scale * x * sigmoid(x) of x = product.
struct ScaledSwish {
  accumulator scale;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const {
    return product * logistic(product) * scale;
  }
};

// Leaky ReLU of product * factor, with a factor for each element.
struct FactorLeakyRelu {
  const element* factors;
  std::int64_t columns;
  accumulator slope;
  __device__ accumulator operator()(accumulator product, std::int64_t row, std::int64_t column) const {
    const accumulator x = product * static_cast<accumulator>(factors[row * columns + column]);
    return x > 0 ? x : slope * x;
  }
};

// sigmoid(product).
struct Logistic {
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const {
    const accumulator x = product;
    return logistic(x);
  }
};

}  // namespace ops
