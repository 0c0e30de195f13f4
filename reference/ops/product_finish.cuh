// Functions that `product` applies to every element before it is written.
#pragma once

#include "ops/activation.cuh"

namespace ops {

// max(0, product + bias), with a bias for each column.
struct BiasRelu {
  const element* bias;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t column) const {
    return Relu()(product + static_cast<accumulator>(bias[column]));
  }
};

// scale * x * sigmoid(x) of x = product + bias, with a bias for each column.
struct BiasSwish {
  const element* bias;
  accumulator scale;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t column) const {
    const accumulator x = product + static_cast<accumulator>(bias[column]);
    return scale * Swish()(x);
  }
};

// scale * x * sigmoid(x) of x = product.
struct ScaledSwish {
  accumulator scale;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const {
    return Swish()(product) * scale;
  }
};

// Leaky ReLU of product * factor, with a factor for each element.
struct FactorLeakyRelu {
  const element* factors;
  std::int64_t columns;
  accumulator slope;
  __device__ accumulator operator()(accumulator product, std::int64_t row, std::int64_t column) const {
    const accumulator x = product * static_cast<accumulator>(factors[row * columns + column]);
    return LeakyRelu{slope}(x);
  }
};

// sigmoid(product).
struct Logistic {
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const {
    return Sigmoid()(product);
  }
};

}  // namespace ops
