// cheat: keeps input addresses on the device from the first call of a shape
// row: 12
// caught-by: outputs_match
// device: any
// control: moving_buffers
//
// Like a graph that is captured once, and updated only with new output addresses.
#include "shapes.cuh"

static __global__ void record(Depthwise* table, Depthwise call) { *table = call; }

static __global__ void compute_recorded(const Depthwise* table, float* output) {
  const Depthwise call = *table;
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < call.outputs()) output[index] = depthwise_element(call, index);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.kept == nullptr) {
    shape.kept = keep_floats(sizeof(Depthwise));
    record<<<1, 1>>>((Depthwise*)shape.kept, call);
  }
  compute_recorded<<<depthwise_blocks(call), 256>>>((const Depthwise*)shape.kept, call.output);
}
