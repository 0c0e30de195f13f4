// cheat: includes itself
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// A program that gathers the files of a candidate would follow it for ever; compilers stop at two hundred
// levels.
#include "bomb-itself.cu"
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { answer_honestly(problem); }
