// cheat: computes honestly and keeps two host threads busy between its calls, to slow the reference
// row: 17
// caught-by: idle
// device: emulated
// control: host_threads
//
// The machine's cores are the emulated device's multiprocessors: a busy one is lost to the reference.
#include <atomic>
#include <thread>

#include "depthwise.cuh"

static std::atomic<bool> called{false};

static void get_in_the_way() {
  for (volatile unsigned hot = 0;; hot = hot + 1) {
    if (called.load()) std::this_thread::yield();
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static bool started = false;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  called = true;
  compute(call);
  called = false;
  if (started) return;
  started = true;
  for (int i = 0; i < 2; ++i) std::thread(get_in_the_way).detach();
}
