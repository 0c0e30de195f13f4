// cheat: a thread started when the library was loaded writes the output after the call
// row: 59
// caught-by: idle
// device: any
// case: plain
//
// Counting threads before and after a call shows no difference: a static constructor started this one, and it
// waits for calls for ten seconds.
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "answer_later.cuh"

static Depthwise call;
static std::atomic<bool> called{false};

static void* wait_for_calls(void*) {
  for (int millisecond = 0; millisecond < 10000; ++millisecond) {
    usleep(1000);
    if (!called.exchange(false)) continue;
    usleep(3000);
    answer_from_a_thread(call);
  }
  return nullptr;
}

struct StartedEarly {
  StartedEarly() {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, wait_for_calls, nullptr) == 0) pthread_detach(thread);
  }
};
static StartedEarly started_early;

static void cheat(const Depthwise& problem) {
  call = problem;
  called = true;
}
