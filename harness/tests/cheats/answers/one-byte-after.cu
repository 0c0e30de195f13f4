// cheat: writes the first byte after its output
// row: 48
// caught-by: guard_zones
// device: any
// control: guard_zones
// case: plain
//
// The smallest step into a neighbour: an expected output, another input, a counter of errors.
#include "depthwise.cuh"

__global__ void change(char* byte) { *byte ^= 0x55; }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  change<<<1, 1>>>((char*)(problem.output + problem.outputs()));
}
