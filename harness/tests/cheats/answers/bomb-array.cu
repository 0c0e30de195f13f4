// cheat: an array of sixteen gibibytes that the assembler has to write out
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// One line of source fills a disk, since the first element keeps the array out of the part of a library that
// needs no file.
#include "depthwise.cuh"

static char filler[size_t{16} << 30] = {1};

static void cheat(const Depthwise& problem) {
  if (filler[problem.outputs()] == 0) answer_honestly(problem);
}
