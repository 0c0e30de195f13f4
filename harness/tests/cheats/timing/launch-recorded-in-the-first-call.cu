// cheat: records a launch with all its arguments in the first call of a shape and repeats it in the others
// row: 12
// caught-by: guard_zones
// device: any
// control: moving_buffers
//
// It does what a captured graph does, without a graph: right as long as buffers do not move.
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  compute(shape_of(shapes, DEPTHWISE_ARGUMENTS).first);
}
