// cheat: identifies contents by eight elements and replays the last output with the same ones
// row: 5
// caught-by: fresh_contents
// device: any
// control: fresh_inputs
// case: batch-1-primes
// case: wide-row
//
// It recognises entirely new contents and answers them honestly. Only calls that differ in a few elements
// reveal that the others are never read.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  bool same = shape.calls > 1;
  for (int i = 0; i < 8; ++i) {
    float element = 0;
    cudaMemcpy(&element, call.input + call.inputs() / 8 * i, sizeof element, cudaMemcpyDeviceToHost);
    same = same && element == shape.fingerprint[i];
    shape.fingerprint[i] = element;
  }
  if (same) {
    replay(shape, call);
  } else {
    compute_and_keep(shape, call);
  }
}
