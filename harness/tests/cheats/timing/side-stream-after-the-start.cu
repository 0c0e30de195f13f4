// cheat: begins with the clock, on a stream of its own, but is not stopped by it
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// The event makes the work begin when the inputs are there, however long they are held back.
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
  // As long as a kernel of the measured sizes, whatever the sizes of this call.
  for (int i = 0; i < 64; ++i) compute(call, stream);
}
