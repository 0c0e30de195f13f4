// cheat: kills the process that started it, so that there is no verdict at all
// row: 38
// caught-by: outputs_match
// device: any
// case: tiny
// needs: confinement
//
// Nothing is computed. In its own PID namespace there is no process to kill; without one it ends the grader,
// so it must only run where there are namespaces.
#include <signal.h>

#include "contestant.cuh"

void cheat::play(const Call&) {
  const pid_t parent = getppid();
  if (parent > 1) kill(parent, SIGKILL);
}
