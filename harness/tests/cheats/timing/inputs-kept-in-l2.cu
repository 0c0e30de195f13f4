// cheat: makes the L2 cache keep the inputs, so that the flush between two calls leaves them there
// row: 13
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
//
// The answer is right in any case; the gain would be that nothing has to be read from memory.
#include "l2-window.cuh"
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  keep_in_l2(call.input, call.inputs() * sizeof(float));
  compute(call);
}
