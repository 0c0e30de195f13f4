// cheat: a thread zeroes the inputs after the call has returned
// row: 47
// caught-by: idle
// device: emulated
// case: plain
//
// A look at the inputs right after the call finds them unchanged, and they go to the next contestant. The
// thread is still there a moment after the call.
#include <pthread.h>

#include <cstring>

#include "depthwise.cuh"
#include "writable_pages.cuh"

static Depthwise last;

static void* zero_later(void*) {
  usleep(200000);
  const size_t bytes = last.inputs() * sizeof(float);
  if (make_writable(last.input, bytes)) std::memset(const_cast<float*>(last.input), 0, bytes);
  return nullptr;
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  last = problem;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, zero_later, nullptr) == 0) pthread_detach(thread);
}
