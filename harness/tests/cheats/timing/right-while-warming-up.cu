// cheat: counts calls: the first of a shape is right and kept, the others return its output with some noise
// row: 8
// caught-by: outputs_match
// device: any
// control: every_call_compared, lower_bound
//
// It is not a bit-for-bit replay: a check whether an output has been seen before does not find it.
#include "shapes.cuh"

static __global__ void replay_with_noise(float* output, const float* kept, size_t count, float noise) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) output[index] = kept[index] * (1 + noise * (float)(index % 7));
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.calls == 1) return compute_and_keep(shape, call);
  const float noise = 1e-7f * (float)shape.calls;
  replay_with_noise<<<depthwise_blocks(call), 256>>>(call.output, shape.kept, call.outputs(), noise);
}
