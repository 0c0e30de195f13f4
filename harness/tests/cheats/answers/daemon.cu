// cheat: leaves a daemon behind that outlives the run
// row: 39
// caught-by: outputs_match
// device: any
// control: worker_sandbox, host_threads, idle_after_call
// case: tiny
// needs: confinement
//
// The first call forks a child that detaches from its parents, like daemons do, and would run for ever; this
// one ends after 20 s. The answer is honest if that works, and poison if it does not, so it shows whether a
// daemon was refused.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "depthwise.cuh"

static void live_on() {
  setsid();
  prctl(PR_SET_PDEATHSIG, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  if (fork() != 0) _exit(0);
  for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
  sleep(20);
  _exit(0);
}

static bool leave_a_daemon() {
  const pid_t child = fork();
  if (child == 0) live_on();
  if (child > 0) waitpid(child, nullptr, 0);
  return child > 0;
}

static void cheat(const Depthwise& problem) {
  static const bool lives = leave_a_daemon();
  if (lives) answer_honestly(problem);
}
