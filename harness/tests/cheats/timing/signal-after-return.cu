// cheat: a timer's signal does the work after the call, on the worker's own thread
// row: 2
// caught-by: outputs_match
// device: emulated
//
// No thread and no device work is left after the call: the signal interrupts the worker while it waits for
// the next request.
#include <signal.h>
#include <sys/time.h>

#include "depthwise.cuh"

static Depthwise job;

static void do_late(int) { compute_on_host(job); }

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  job = DEPTHWISE_ARGUMENTS;
  struct sigaction action = {};
  action.sa_handler = do_late;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval after_the_call = {{0, 0}, {0, 50}};
  ::setitimer(ITIMER_REAL, &after_the_call, nullptr);
}
