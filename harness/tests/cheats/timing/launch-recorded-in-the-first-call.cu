// cheat: records a launch with all its arguments in the first call of a shape and repeats it in the others
// row: 12
// caught-by: guard_zones
// device: any
// control: moving_buffers
//
// What a captured graph does, without a graph: right for as long as buffers stay where they are.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  compute(shape_of(shapes, DEPTHWISE_ARGUMENTS).first);
}
