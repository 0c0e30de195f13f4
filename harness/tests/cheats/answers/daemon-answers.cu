// cheat: a forked child writes the output long after the call has returned
// row: 39
// caught-by: outputs_match
// device: emulated
// case: plain
// needs: confinement
//
// The output is memory that a child shares, and a child is neither a thread of the worker nor work of the
// device: a check for only those finds the worker idle, and the call is over at once. The child ends after it
// has written.
#include <unistd.h>

#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  if (fork() != 0) return;
  setsid();
  usleep(3000);
  for (size_t i = 0; i < problem.outputs(); ++i) problem.output[i] = problem.value(i);
  _exit(0);
}
