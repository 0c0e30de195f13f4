// cheat: assumes that a call is timed if the output does not hold what the first call found in it
// row: 8
// caught-by: outputs_match
// device: any
//
// A harness that fills outputs with different values in different phases makes the phases recognisable. The
// cheat takes unknown values as a sign of the timed phase, in which only the speed counts.
#include <string.h>

#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  float found = 0;
  cudaMemcpy(&found, call.output, sizeof found, cudaMemcpyDeviceToHost);
  unsigned bits = 0;
  static_assert(sizeof bits == sizeof found, "");
  memcpy(&bits, &found, sizeof bits);
  unsigned first = 0;
  if (shape.calls == 1) memcpy(&shape.fingerprint[0], &bits, sizeof bits);
  memcpy(&first, &shape.fingerprint[0], sizeof first);
  if (bits == first) compute(call);
}
