// cheat: moves the worker's start stamp into the future, so that the call takes a negative time
// row: 18
// caught-by: clock
// device: emulated
// control: clock_agreement
//
// The mean of the times, or the minimum, is then whatever the cheat wants.
#include "depthwise.cuh"
#include "start-stamps.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  compute(DEPTHWISE_ARGUMENTS);
  replace_stamps(100000000, now_ns() + 3600000000000ll);
}
