// cheat: includes a file without an end
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// A device that gives zeros for ever: whoever reads it whole, compiler or grader, reads until there is no
// memory.
#include "/dev/zero"
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) { answer_honestly(problem); }
