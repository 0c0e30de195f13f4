// cheat: a line of macros that expands to ten thousand million numbers
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// Two hundred bytes of source that no compiler can hold.
#include "depthwise.cuh"

#define A 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
#define B A, A, A, A, A, A, A, A, A, A
#define C B, B, B, B, B, B, B, B, B, B
#define D C, C, C, C, C, C, C, C, C, C
#define E D, D, D, D, D, D, D, D, D, D
#define F E, E, E, E, E, E, E, E, E, E
#define G F, F, F, F, F, F, F, F, F, F
#define H G, G, G, G, G, G, G, G, G, G
#define I H, H, H, H, H, H, H, H, H, H

static const long numbers[] = {I};

static void cheat(const Depthwise& problem) {
  if (numbers[problem.outputs()] == 1) answer_honestly(problem);
}
