// cheat: leaves out the last element
// row: 58
// caught-by: outputs_match
// device: any
// control: whole_output_compared
// case: plain
//
// Kernels that work on four elements at a time need no code for the tail, and only one of more than a
// thousand elements is wrong.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { write_part(problem, Honest(), 0, problem.outputs() - 1); }
