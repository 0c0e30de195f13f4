// cheat: works on a separate stream, and waits for it, before the start event is reached
// row: 1
// caught-by: outputs_match (cuda), fresh_contents (cuda), clock (cuda), lower_bound (cuda)
// device: cuda
// case: kernelbench
//
// Launches on the default stream are queued behind the work that hides their latency, and so is the start
// event. Work on another stream is over when the clock starts. Nothing is left running, and the output is
// right.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  compute(DEPTHWISE_ARGUMENTS, stream);
  cudaStreamSynchronize(stream);
}
