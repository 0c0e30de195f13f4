// accomplice: the twin of cheats that use `compute`, and nothing else
//
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
}
