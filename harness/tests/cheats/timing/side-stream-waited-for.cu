// cheat: works on a stream of its own, and waits for it, while the start event is still to come
// row: 1
// caught-by: outputs_match (cuda), fresh_contents (cuda), clock (cuda), lower_bound (cuda)
// device: cuda
// case: kernelbench
//
// Launches on the default stream are queued behind whatever hides their latency, and so is the start event:
// what runs beside that is over when the clock starts. Nothing is left running, and the output is right.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  compute(DEPTHWISE_ARGUMENTS, stream);
  cudaStreamSynchronize(stream);
}
