// cheat: an array of sixteen gibibytes that the assembler has to write out
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// One line of source fills a disk: because of the first element, the array cannot go into the part of a
// library that takes no space in the file.
#include "depthwise.cuh"

static char filler[size_t{16} << 30] = {1};

static void cheat(const Depthwise& problem) {
  if (filler[problem.outputs()] == 0) answer_honestly(problem);
}
