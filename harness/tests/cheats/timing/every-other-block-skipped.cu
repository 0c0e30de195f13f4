// cheat: computes every other block of threads, and copies the rest from the shape's first call
// row: 10
// caught-by: outputs_match
// device: any
// control: every_call_compared
//
// Half of the output is right in every call, but not always the same half.
#include "shapes.cuh"

static __global__ void compute_half(Depthwise call, const float* kept, unsigned half) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  call.output[index] = blockIdx.x % 2 == half ? depthwise_element(call, index) : kept[index];
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.calls == 1) return compute_and_keep(shape, call);
  compute_half<<<depthwise_blocks(call), 256>>>(call, shape.kept, shape.calls % 2);
}
