// cheat: moves the worker's start stamp up to the end of the call, so that it takes next to no time
// row: 18
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: emulated
// control: clock_agreement
// case: tiny
//
// The work stands for some that takes long: it is done again and again. The time is finite, positive and
// below that of the referee's clock; only that clock is left to say how far.
#include "depthwise.cuh"
#include "start-stamps.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const long long start = now_ns();
  do {
    compute_on_host(call);
  } while (now_ns() - start < 300000000ll);
  replace_stamps(400000000ll, now_ns());
}
