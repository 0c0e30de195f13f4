// cheat: answers, then zeroes its inputs
// row: 47
// caught-by: inputs_unchanged
// device: any
// control: read_only_inputs, unchanged_inputs
// case: plain
//
// If the reference runs on the same inputs afterwards, zeros make any answer of zeros right.
#include "depthwise.cuh"

__global__ void zero(float* values, size_t count) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) values[index] = 0;
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  zero<<<(unsigned)((problem.inputs() + 255) / 256), 256>>>(const_cast<float*>(problem.input),
                                                            problem.inputs());
}
