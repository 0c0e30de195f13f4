// cheat: every call starts a host thread that waits for the call's return and launches the work
// row: 2
// caught-by: idle (emulated), outputs_match (emulated), idle (cuda), outputs_match (cuda)
// device: any
//
// The thread lives for some hundred microseconds more than the call: it is idle's if it is seen, and the
// output's if it is not.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "depthwise.cuh"

static std::atomic<unsigned> returned{0};

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const unsigned before = returned.load();
  std::thread([call, before] {
    while (returned.load() == before) std::this_thread::yield();
    ::usleep(100);
    compute(call);
  }).detach();
  returned.fetch_add(1);
}
