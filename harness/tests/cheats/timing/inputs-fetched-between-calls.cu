// cheat: a host thread copies the inputs over and over, so that they are in the cache in time
// row: 14
// caught-by: idle (cuda)
// device: cuda
//
// Copying a buffer that has been taken back only makes that copy fail.
#include <atomic>
#include <chrono>
#include <thread>

#include "depthwise.cuh"

static std::atomic<const float*> inputs{nullptr};
static std::atomic<size_t> count{0};

static void fetch() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* const scratch = keep_floats(1 << 24);
  for (;;) {
    const size_t elements = count.load() < (1 << 24) ? count.load() : (1 << 24);
    cudaMemcpyAsync(scratch, inputs.load(), elements * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaGetLastError();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static bool started = false;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  inputs = call.input;
  count = call.inputs();
  compute(call);
  if (!started) std::thread(fetch).detach();
  started = true;
}
