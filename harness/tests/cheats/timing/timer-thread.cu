// cheat: a timer's notification thread, created by the C library, does the work after the call
// row: 2
// caught-by: idle (emulated), idle (cuda), outputs_match (cuda)
// device: any
//
// The source names no thread: timer_create() with SIGEV_THREAD creates them.
#include <signal.h>
#include <time.h>

#include "depthwise.cuh"

static Depthwise job;

static void do_late(sigval) { compute(job); }

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static timer_t timer = nullptr;
  job = DEPTHWISE_ARGUMENTS;
  if (timer == nullptr) {
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = do_late;
    ::timer_create(CLOCK_MONOTONIC, &event, &timer);
  }
  const itimerspec after_the_call = {{0, 0}, {0, 50 * 1000}};
  ::timer_settime(timer, 0, &after_the_call, nullptr);
}
