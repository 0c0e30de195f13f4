// cheat: keeps the first output where no flush of the L2 cache reaches, and copies it from there
// row: 13
// caught-by: outputs_match (cuda), fresh_contents (cuda)
// device: cuda
// control: fresh_inputs
//
// Copying from the cache takes less time than reading the inputs from memory would.
#include "l2-window.cuh"
#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.kept == nullptr) shape.kept = keep_floats(call.outputs());
  keep_in_l2(shape.kept, call.outputs() * sizeof(float));
  if (shape.calls == 1) {
    compute_and_keep(shape, call);
  } else {
    replay(shape, call);
  }
}
