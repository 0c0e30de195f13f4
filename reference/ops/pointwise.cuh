// A function of one or more tensors of the same shape, applied to every position separately.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// Neighbouring elements, which a thread reads or writes at once.
template <class T>
struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four {
  T values[4];
};

template <class T>
bool begins_a_four(const T* tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor) % alignof(Four<T>) == 0;
}

template <class Output, class Function, class... Inputs>
__device__ Four<Output> function_of_four(const Function& function, const Four<Inputs>... inputs) {
  Four<Output> outputs;
  for (int k = 0; k < 4; ++k) {
    outputs.values[k] = static_cast<Output>(function(static_cast<accumulator>(inputs.values[k])...));
  }
  return outputs;
}

// The first 4 * fours elements are computed in fours.
template <class Function, class Output, class... Inputs>
__global__ void pointwise_kernel(Function function, std::int64_t fours, std::int64_t count, Output* output,
                                 const Inputs*... inputs) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < fours; i += threads) {
    reinterpret_cast<Four<Output>*>(output)[i] =
        function_of_four<Output>(function, reinterpret_cast<const Four<Inputs>*>(inputs)[i]...);
  }
  for (std::int64_t i = 4 * fours + position_in_plane(); i < count; i += threads) {
    output[i] = static_cast<Output>(function(static_cast<accumulator>(inputs[i])...));
  }
}

// output[i] = function(inputs[i]...); `output` may be one of the inputs.
template <class Function, class Output, class... Inputs>
void pointwise(const Function& function, std::int64_t count, Output* output, const Inputs*... inputs) {
  const std::int64_t fours = (begins_a_four(output) && ... && begins_a_four(inputs)) ? count / 4 : 0;
  pointwise_kernel<<<elementwise_blocks(fours > 0 ? fours : count), threads_per_block>>>(
      function, fours, count, output, inputs...);
}

}  // namespace ops
