// cheat: answers all calls of a shape in the first one, and returns at once in the others
// row: 7
// caught-by: outputs_match
// device: any
// control: every_call_compared, lower_bound
//
// It profits if the score is total time over number of calls. It never reads the arguments of later calls.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (shape_of(shapes, call).calls == 1) compute(call);
}
