// cheat: a host thread has the inputs copied over and over, so that the cache has them in time
// row: 14
// caught-by: idle (cuda)
// device: cuda
//
// A copy of a buffer that has been taken back is an error of that copy alone.
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
