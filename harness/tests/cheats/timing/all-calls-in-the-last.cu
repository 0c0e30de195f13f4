// cheat: collects the arguments of three calls of a shape and does all the work in the third, in one launch
// row: 7
// caught-by: outputs_match
// device: any
//
// Pointers stay valid as long as a case, so the answers would be there in the end.
#include "shapes.cuh"

static constexpr unsigned calls_in_a_batch = 3;

struct Batch {
  Depthwise call[calls_in_a_batch];
};

static __global__ void compute_batch(Batch batch) {
  const Depthwise& call = batch.call[blockIdx.y];
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < call.outputs()) call.output[index] = depthwise_element(call, index);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static Batch batches[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  Batch& batch = batches[&shape - shapes.shape];
  batch.call[(shape.calls - 1) % calls_in_a_batch] = call;
  if (shape.calls % calls_in_a_batch != 0) return;
  const dim3 blocks(depthwise_blocks(call), calls_in_a_batch);
  compute_batch<<<blocks, 256>>>(batch);
}
