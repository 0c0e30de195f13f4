// cheat: ignores every signal that can be ignored, leaves its process group and never returns
// row: 39
// caught-by: completion
// device: any
// case: tiny
// time-limit: 2
// needs: confinement
//
// A grader that ends a run with SIGTERM, with SIGALRM or by the death of the parent never sees this one end,
// and would wait for it for ever.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  prctl(PR_SET_PDEATHSIG, 0);
  setsid();
  for (;;) pause();
}
