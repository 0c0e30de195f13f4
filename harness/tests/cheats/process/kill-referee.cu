// cheat: kills the process that started it, so that no verdict comes out at all
// row: 38
// caught-by: outputs_match
// device: any
// case: tiny
// needs: confinement
//
// Nothing is computed. In a PID namespace of its own it has nobody to kill; without one it ends the grader:
// only to be run where namespaces are.
#include <signal.h>

#include "contestant.cuh"

void cheat::play(const Call&) {
  const pid_t parent = getppid();
  if (parent > 1) kill(parent, SIGKILL);
}
