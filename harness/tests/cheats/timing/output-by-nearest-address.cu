// cheat: keeps the output of the first call by its input's address, and replays it for any input near it
// row: 4
// caught-by: outputs_match (emulated), outputs_match (cuda), fresh_contents (cuda)
// device: any
// control: fresh_inputs, lower_bound
//
// Buffers move within a mapping from call to call. A cache of exact addresses would see new data; this one
// looks for the same sizes within a few megabytes.
#include "shapes.cuh"

struct Entry {
  Depthwise call;
  float* kept;
};

static bool is_near(const float* a, const float* b) {
  const long long distance = (const char*)a - (const char*)b;
  return distance < (4 << 20) && distance > -(4 << 20);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Entry entries[256];
  static int count = 0;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  for (int i = 0; i < count; ++i) {
    if (!same_sizes(entries[i].call, call) || !is_near(entries[i].call.input, call.input)) continue;
    copy_floats(call.output, entries[i].kept, call.outputs());
    return;
  }
  compute(call);
  if (count == 256) return;
  entries[count] = {call, keep_floats(call.outputs())};
  copy_floats(entries[count++].kept, call.output, call.outputs());
}
