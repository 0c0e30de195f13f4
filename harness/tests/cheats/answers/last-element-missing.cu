// cheat: leaves out the last element
// row: 58
// caught-by: outputs_match
// device: any
// control: whole_output_compared
// case: plain
//
// Kernels that work on four elements at a time are rid of their tail, and one of more than a thousand is
// wrong.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { write_part(problem, Honest(), 0, problem.outputs() - 1); }
