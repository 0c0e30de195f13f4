// cheat: includes a file without an end
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// A device that gives zeros for ever: a compiler or grader that reads the whole file reads until memory runs
// out.
#include "/dev/zero"
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { answer_honestly(problem); }
