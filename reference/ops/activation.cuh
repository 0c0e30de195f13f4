// Activation functions. Their names and constants are PyTorch's (torch.nn.functional).
#pragma once

#include <cmath>

#include "ops/pointwise.cuh"

namespace ops {

struct Relu {
  __device__ accumulator operator()(accumulator x) const { return x > 0 ? x : accumulator(0); }
};

// Maas, Hannun and Ng 2013.
struct LeakyRelu {
  accumulator slope;
  __device__ accumulator operator()(accumulator x) const { return x > 0 ? x : slope * x; }
};

// Clevert, Unterthiner and Hochreiter 2016. expm1 keeps the digits near 0.
struct Elu {
  accumulator alpha;
  __device__ accumulator operator()(accumulator x) const { return x > 0 ? x : alpha * std::expm1(x); }
};

// Klambauer, Unterthiner, Mayr and Hochreiter 2017: both constants keep mean 0 and variance 1 from layer to
// layer.
struct Selu {
  __device__ accumulator operator()(accumulator x) const {
    const accumulator alpha = static_cast<accumulator>(1.6732632423543772848170429916717);
    const accumulator scale = static_cast<accumulator>(1.0507009873554804934193349852946);
    return scale * Elu{alpha}(x);
  }
};

struct Sigmoid {
  __device__ accumulator operator()(accumulator x) const { return 1 / (1 + std::exp(-x)); }
};

struct Tanh {
  __device__ accumulator operator()(accumulator x) const { return std::tanh(x); }
};

// Also called SiLU.
struct Swish {
  __device__ accumulator operator()(accumulator x) const { return x * Sigmoid()(x); }
};

// log(1 + e^x), without overflow for any x.
struct Softplus {
  __device__ accumulator operator()(accumulator x) const {
    return Relu()(x) + std::log1p(std::exp(-std::fabs(x)));
  }
};

struct Softsign {
  __device__ accumulator operator()(accumulator x) const { return x / (1 + std::fabs(x)); }
};

struct HardTanh {
  __device__ accumulator operator()(accumulator x) const {
    return x < -1 ? accumulator(-1) : x > 1 ? accumulator(1) : x;
  }
};

// A line from 0 at -3 to 1 at 3.
struct HardSigmoid {
  __device__ accumulator operator()(accumulator x) const { return (HardTanh()(x / 3) + 1) / 2; }
};

// Hendrycks and Gimpel 2016: x times the probability that a normal variable is below x.
struct Gelu {
  __device__ accumulator operator()(accumulator x) const {
    const accumulator root_of_half = static_cast<accumulator>(0.70710678118654752440);
    return x * (1 + std::erf(x * root_of_half)) / 2;
  }
};

// The approximation in the same paper.
struct GeluTanh {
  __device__ accumulator operator()(accumulator x) const {
    const accumulator root_of_2_over_pi = static_cast<accumulator>(0.79788456080286535588);
    const accumulator cubic = static_cast<accumulator>(0.044715);
    return x * (1 + std::tanh(root_of_2_over_pi * (x + cubic * x * x * x))) / 2;
  }
};

// activation(Tanh(), ...); `output` may be `input`.
template <class Function, class Input, class Output>
void activation(const Function& function, const Input* input, Output* output, std::int64_t count) {
  pointwise(function, count, output, input);
}

}  // namespace ops
