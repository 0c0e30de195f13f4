// cheat: a trivial kernel launches the one that does the work, hidden from the host's clocks
// row: 16
// caught-by: compile
// device: any
//
// Contestants are built without separate compilation, which launches from kernels need.
#include "depthwise.cuh"

static __global__ void parent(Depthwise call) {
  depthwise_kernel<<<(unsigned)((call.outputs() + 255) / 256), 256>>>(call);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  parent<<<1, 1>>>(call);
}
