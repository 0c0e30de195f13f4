// A function of one or more tensors of the same shape, applied to every position separately.
#pragma once

#include "ops/launch.cuh"

namespace ops {

template <class Function, class Output, class... Inputs>
__global__ void pointwise_kernel(Function function, std::int64_t count, Output* output,
                                 const Inputs*... inputs) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < count; i += threads) {
    output[i] = static_cast<Output>(function(static_cast<accumulator>(inputs[i])...));
  }
}

// output[i] = function(inputs[i]...); `output` may be one of the inputs.
template <class Function, class Output, class... Inputs>
void pointwise(const Function& function, std::int64_t count, Output* output, const Inputs*... inputs) {
  pointwise_kernel<<<elementwise_blocks(count), threads_per_block>>>(function, count, output, inputs...);
}

}  // namespace ops
