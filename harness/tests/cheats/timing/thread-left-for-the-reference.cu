// cheat: computes honestly and keeps a host thread busy after each call, to slow down the reference
// row: 17
// caught-by: idle
// device: emulated
// control: host_threads
//
// The emulated device uses the machine's cores as its multiprocessors. The reference, whose call comes next
// half of the time, loses a busy one.
#include <atomic>
#include <chrono>
#include <thread>

#include "depthwise.cuh"

static std::atomic<unsigned> calls{0};

static void get_in_the_way() {
  using Clock = std::chrono::steady_clock;
  for (unsigned seen = 0;; std::this_thread::sleep_for(std::chrono::microseconds(200))) {
    if (calls.load() == seen) continue;
    seen = calls.load();
    const auto end = Clock::now() + std::chrono::milliseconds(1);
    while (Clock::now() < end) {
    }
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
  if (calls.fetch_add(1) == 0) std::thread(get_in_the_way).detach();
}
