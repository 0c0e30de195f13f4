// cheat: makes the output unreadable, and does the work in the handler of the fault when it is read
// row: 15
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: emulated
// control: clock_agreement
// case: tiny
//
// The answer is right, and no other value is ever seen. Nothing is left running. The work is repeated to
// stand for work that takes long.
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "depthwise.cuh"

static Depthwise job;
static struct sigaction before;

static double seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void allow_output(int protection) {
  const unsigned long begin = (unsigned long)job.output & ~4095ul;
  const unsigned long end = ((unsigned long)(job.output + job.outputs()) + 4095) & ~4095ul;
  ::mprotect((void*)begin, end - begin, protection);
}

static void do_work(int, siginfo_t*, void*) {
  ::sigaction(SIGSEGV, &before, nullptr);
  allow_output(PROT_READ | PROT_WRITE);
  const double start = seconds();
  do {
    compute_on_host(job);
  } while (seconds() - start < 0.3);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  job = DEPTHWISE_ARGUMENTS;
  allow_output(PROT_NONE);
  struct sigaction action = {};
  action.sa_sigaction = do_work;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &before);
}
