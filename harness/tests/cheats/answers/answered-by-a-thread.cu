// cheat: returns at once; a thread writes the output a little later
// row: 59
// caught-by: idle
// device: any
// case: plain
//
// It takes a while until the judge looks at the output. Until then there is time to compute it.
#include <pthread.h>
#include <unistd.h>

#include "answer_later.cuh"

static Depthwise call;

static void* answer_late(void*) {
  usleep(5000);
  answer_from_a_thread(call);
  return nullptr;
}

static void cheat(const Depthwise& problem) {
  call = problem;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, answer_late, nullptr) == 0) pthread_detach(thread);
}
