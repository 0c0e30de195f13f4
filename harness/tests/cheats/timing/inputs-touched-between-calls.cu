// cheat: a host thread reads the inputs over and over, so that the next call finds them in the caches
// row: 14
// caught-by: idle
// device: emulated
// control: host_threads
//
// The answer is right and is computed within the call; only the inputs have been read before.
#include <atomic>
#include <chrono>
#include <thread>

#include "depthwise.cuh"
#include "readable.cuh"

static std::atomic<const float*> inputs{nullptr};
static std::atomic<size_t> count{0};

static void touch() {
  static float block[1024];
  CarefulReader reader;
  for (;;) {
    const size_t elements = count.load();
    for (size_t i = 0; i + 1024 < elements; i += 1024) reader.read(block, inputs.load() + i, sizeof block);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static bool started = false;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  inputs = call.input;
  count = call.inputs();
  compute(call);
  if (!started) std::thread(touch).detach();
  started = true;
}
