// cheat: a timer's SIGCONT wakes it while it is stopped, and it overwrites the captured output
// row: 59
// caught-by: outputs_match
// device: emulated
// case: plain
//
// Like captured-output-overwritten.cu, except for the signal: SIGCONT continues a stopped process, no matter
// who sends it, and the kernel sends it for a timer of the process itself.
#include <signal.h>
#include <time.h>

#include "captured_output.cuh"
#include "depthwise.cuh"

static Depthwise call;
static float* captured = nullptr;

static void answer_late(int) {
  for (size_t i = 0; i < call.outputs(); ++i) {
    if (captured != nullptr) captured[i] = call.value(i);
  }
}

static void cheat(const Depthwise& problem) {
  call = problem;
  captured = captured_output(call);
  struct sigaction action = {};
  action.sa_handler = answer_late;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
  static timer_t timer;
  static bool made = false;
  if (!made) {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;  // wakes a process that is stopped
    made = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  }
  const struct itimerspec soon = {{0, 0}, {0, 120000}};
  timer_settime(timer, 0, &soon, nullptr);
}
