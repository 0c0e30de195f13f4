// cheat: stalls in the first call of a shape, so that a harness with a time budget takes few samples
// row: 9
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: any
// case: tiny (emulated)
// case: plain (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Where speed is measured there is more than one warm-up call, and the time budget starts after them. The
// stall is shorter than the shortest time limit of a call, and is work on the device, for the clock to see.
#include "shapes.cuh"

static __global__ void stall(long long cycles) {
  for (const long long start = clock64(); clock64() - start < cycles;) {
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (shape_of(shapes, call).calls == 1) stall<<<1, 1>>>(1000000000);
  compute(call);
}
