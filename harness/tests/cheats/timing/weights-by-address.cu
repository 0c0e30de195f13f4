// cheat: keeps the weights of the first call by their address, rounded, and never reads them again
// row: 4
// caught-by: outputs_match (emulated), outputs_match (cuda), fresh_contents (cuda)
// device: any
// control: fresh_inputs
//
// A model could do this with weights that it had declared constant; this problem declares none.
#include "shapes.cuh"

struct Weights {
  Depthwise call;  // the first one with them
  float* kept;
};

static bool same_address(const float* a, const float* b) {
  return (unsigned long long)a >> 24 == (unsigned long long)b >> 24;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Weights known[256];
  static int count = 0;
  Depthwise call = DEPTHWISE_ARGUMENTS;
  int i = 0;
  while (i < count && !(same_sizes(known[i].call, call) && same_address(known[i].call.kernel, kernel))) ++i;
  if (i == count && count < 256) {
    known[count++] = {call, keep_floats(call.weights())};
    copy_floats(known[i].kept, call.kernel, call.weights());
  }
  if (i < count) call.kernel = known[i].kept;
  compute(call);
}
