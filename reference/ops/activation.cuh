// Functions that are applied to every element separately.
#pragma once

#include <cmath>

#include "ops/launch.cuh"

namespace ops {

struct Relu {
  __device__ accumulator operator()(accumulator x) const { return x > 0 ? x : accumulator(0); }
};

struct Sigmoid {
  __device__ accumulator operator()(accumulator x) const { return 1 / (1 + std::exp(-x)); }
};

struct Tanh {
  __device__ accumulator operator()(accumulator x) const { return std::tanh(x); }
};

template <class Function, class Output>
__global__ void activation_kernel(Function function, const accumulator* input, Output* output,
                                  std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < count; i += threads) {
    output[i] = static_cast<Output>(function(input[i]));
  }
}

// activation(Tanh(), ...); `output` may be `input`.
template <class Function, class Output>
void activation(Function function, const accumulator* input, Output* output, std::int64_t count) {
  const std::int64_t most_blocks = 1 << 20;
  const std::int64_t blocks = (count + threads_per_block - 1) / threads_per_block;
  activation_kernel<<<static_cast<unsigned>(smaller(blocks, most_blocks)), threads_per_block>>>(
      function, input, output, count);
}

}  // namespace ops
