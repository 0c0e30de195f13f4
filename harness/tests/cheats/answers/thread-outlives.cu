// cheat: leaves a thread behind that can use the processor between the calls
// row: 39
// caught-by: idle
// device: any
// control: host_threads
// case: plain
//
// The answer is honest. A thread that remains after the call can use time that no clock measures: prepare the
// next call, slow down the reference, wait until the judge has looked. This one ignores every signal and
// sleeps for 20 s.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "depthwise.cuh"

static void* linger(void*) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  sleep(20);
  return nullptr;
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  static bool started = false;
  pthread_t thread;
  if (started || pthread_create(&thread, nullptr, linger, nullptr) != 0) return;
  pthread_detach(thread);
  started = true;
}
