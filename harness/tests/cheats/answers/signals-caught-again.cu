// cheat: answers every signal with more work, and asks for one every millisecond
// row: 39
// caught-by: completion
// device: any
// case: tiny
// time-limit: 2
//
// Handlers swallow SIGTERM, SIGALRM and the rest, with SA_RESTART, so that no interrupted call fails. The
// process's own interval timer replaces any alarm that the harness may have set.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "depthwise.cuh"

static volatile sig_atomic_t swallowed = 0;

static void swallow(int) { swallowed = swallowed + 1; }

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  struct sigaction action = {};
  action.sa_handler = swallow;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGVTALRM, SIGXCPU, SIGUSR1, SIGUSR2}) {
    sigaction(number, &action, nullptr);
  }
  const itimerval every_millisecond = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every_millisecond, nullptr);
  for (;;) pause();
}
