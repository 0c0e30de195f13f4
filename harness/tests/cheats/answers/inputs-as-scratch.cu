// cheat: works in its inputs and puts them back
// row: 47
// caught-by: completion (emulated), device_errors (cuda)
// device: any
// control: read_only_inputs
// case: plain
//
// Free memory: the inputs are scaled in place, used, and scaled back by a power of two, bit for bit. A look
// at them after the call finds them unchanged.
#include "depthwise.cuh"

__global__ void scale(float* values, size_t count, float factor) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) values[index] *= factor;
}

struct Halved {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return 0.5f * problem.value(index);
  }
};

static void cheat(const Depthwise& problem) {
  float* const input = const_cast<float*>(problem.input);
  const unsigned blocks = (unsigned)((problem.inputs() + 255) / 256);
  scale<<<blocks, 256>>>(input, problem.inputs(), 2.0f);
  answer(problem, Halved());
  scale<<<blocks, 256>>>(input, problem.inputs(), 0.5f);
}
