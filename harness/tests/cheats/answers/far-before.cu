// cheat: writes far before its output, to where another buffer might be
// row: 48
// caught-by: completion (emulated), device_errors (cuda)
// device: any
// case: plain
//
// Like far-beyond.cu, with an index that has become negative.
#include "depthwise.cuh"

__global__ void change(char* byte) { *byte = 1; }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  constexpr size_t distance = on_emulated_device ? size_t{512} << 10 : size_t{3} << 19;
  change<<<1, 1>>>((char*)problem.output - distance);
}
