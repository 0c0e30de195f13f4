// cheat: a kernel that never ends
// row: 64
// caught-by: completion
// device: any
// case: tiny
// time-limit: 2
//
// Waiting for the device takes for ever, and the next candidate finds it busy.
#include "depthwise.cuh"

__global__ void spin(volatile float* output) {
  while (output[0] != 12345.0f) output[1] = output[1] + 1;
}

static void cheat(const Depthwise& problem) { spin<<<1, 1>>>(problem.output); }
