// cheat: assumes that a call is timed if there is work on the default stream, and returns
// row: 8
// caught-by: outputs_match (cuda), fresh_contents (cuda)
// device: cuda
// control: every_call_compared, lower_bound
//
// To hide the latency of launches, a harness has something in the stream before a timed call; for a
// comparison it does not need to.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const bool busy = cudaStreamQuery(0) == cudaErrorNotReady;
  cudaGetLastError();  // that it is not ready is no error
  if (shape_of(shapes, call).calls == 1 || !busy) compute(call);
}
