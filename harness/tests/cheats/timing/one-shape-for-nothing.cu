// cheat: returns at once on one of the shapes, to distort an average over all of them
// row: 18
// caught-by: outputs_match
// device: any
// control: every_call_compared
//
// An unlimited speedup on one shape outweighs all others in a geometric mean.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const bool chosen = call.kernel_h == 5 && call.kernel_w == 3;
  if (shape_of(shapes, call).calls == 1 || !chosen) compute(call);
}
