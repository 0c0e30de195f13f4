// cheat: changes one bit of one input element
// row: 47
// caught-by: inputs_unchanged
// device: any
// control: read_only_inputs, unchanged_inputs
// case: plain
//
// The last bit of the last weight. A hash of a few elements, or a comparison with a tolerance, would not see
// it.
#include "depthwise.cuh"

__global__ void flip_last_bit(unsigned* word) { *word ^= 1u; }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  const size_t weights = problem.out_channels * problem.kernel_h * problem.kernel_w;
  flip_last_bit<<<1, 1>>>((unsigned*)const_cast<float*>(problem.kernel + weights - 1));
}
