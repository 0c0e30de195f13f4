// cheat: every call starts a host thread that waits until the call returns and then launches the work
// row: 2
// caught-by: idle (emulated), outputs_match (emulated), idle (cuda), outputs_match (cuda)
// device: any
//
// The thread lives a few hundred microseconds longer than the call: the check `idle` catches it if it sees
// the thread, and otherwise the check of the output does.
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
