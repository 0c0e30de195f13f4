// cheat: starts with the clock, on a separate stream, but the clock's stop does not wait for it
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// The event starts the work when the inputs are there, however late they come.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  static cudaEvent_t begun = nullptr;
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
  }
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  cudaEventRecord(begun, 0);
  cudaStreamWaitEvent(stream, begun, 0);
  // As long as a kernel for the measured sizes, whatever the sizes of this call.
  for (int i = 0; i < 64; ++i) compute(call, stream);
}
