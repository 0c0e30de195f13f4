// cheat: keeps the output of the first call with certain sizes and copies it back in later ones
// row: 5
// caught-by: outputs_match
// device: any
// control: fresh_inputs, lower_bound
//
// The cheapest fingerprint of all: if every call of a case has the same contents, the sizes identify them.
#include "shapes.cuh"

static Shapes shapes;

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.calls == 1) {
    compute_and_keep(shape, call);
  } else {
    replay(shape, call);
  }
}
