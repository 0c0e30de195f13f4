// cheat: includes itself
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// Whoever gathers the files of a candidate follows it for ever; compilers stop at two hundred levels.
#include "bomb-itself.cu"
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { answer_honestly(problem); }
