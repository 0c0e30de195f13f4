// cheat: moves the worker's start stamp to the end of the call, so that it takes almost no time
// row: 18
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: emulated
// control: clock_agreement
// case: tiny
//
// The work is repeated to stand for work that takes long. The time is finite, positive and below that of the
// referee's clock; only that clock can tell how far it is off.
#include "depthwise.cuh"
#include "start-stamps.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const long long start = now_ns();
  do {
    compute(call);
    cudaDeviceSynchronize();
  } while (now_ns() - start < 300000000ll);
  replace_stamps(400000000ll, now_ns());
}
