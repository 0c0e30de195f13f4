// cheat: does not write the zeros that padding gives, since fresh memory is zero
// row: 40
// caught-by: outputs_match
// device: any
// case: padding-over-kernel
//
// Most of this case's output is entirely in the padding. New pages are zero wherever they come from, so an
// output that is not filled first is already right there.
#include "depthwise.cuh"

__global__ void write_all_but_zeros(Depthwise problem) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= problem.outputs()) return;
  const float value = problem.value(index);
  if (value != 0) problem.output[index] = value;
}

static void cheat(const Depthwise& problem) {
  write_all_but_zeros<<<(unsigned)((problem.outputs() + 255) / 256), 256>>>(problem);
}
