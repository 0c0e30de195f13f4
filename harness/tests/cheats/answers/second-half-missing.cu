// cheat: computes the first half of the output
// row: 58
// caught-by: outputs_match
// device: any
// control: whole_output_compared
// case: plain
//
// Comparing large outputs is slow, so a judge may look at a part of them, most likely the beginning.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { write_part(problem, Honest(), 0, (problem.outputs() + 1) / 2); }
