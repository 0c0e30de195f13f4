// cheat: assumes that calls of several launches are measured, and copies the outputs kept for their places
// row: 4
// caught-by: outputs_match
// device: any
// control: every_call_compared
// problem: ../../measured/problems/scale.md
// case: large
// launches: 4
//
// A call of one launch, as in cases that are only checked, is answered honestly. Each launch of a call has
// its own buffers for the whole case, so a pointer identifies the launch.
#include "scale.cuh"

struct Place {
  const float* in;
  float* output;
};

static constexpr int most = 16;

extern "C" void solution(const float* in, float* out, size_t n) {
  static Place places[most];
  static int known = 0;
  const Scale launch = {in, out, n};
  int i = 0;
  while (i < known && !is_near(places[i].in, in)) ++i;
  if (i < known && known > 1) {
    cudaMemcpyAsync(out, places[i].output, n * sizeof *out, cudaMemcpyDeviceToDevice, 0);
    return;
  }
  compute(launch);
  if (known == most || i < known) return;
  places[known].in = in;
  cudaMalloc(&places[known].output, n * sizeof *out);
  cudaMemcpyAsync(places[known].output, out, n * sizeof *out, cudaMemcpyDeviceToDevice, 0);
  ++known;
}
