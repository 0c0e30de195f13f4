// cheat: answers all calls of a shape in the first of them, and returns at once in the others
// row: 7
// caught-by: outputs_match
// device: any
// control: every_call_compared, lower_bound
//
// Time over number of calls is what it would be paid by. The arguments of later calls it never looks at.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (shape_of(shapes, call).calls == 1) compute(call);
}
