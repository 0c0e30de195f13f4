// cheat: claims a microsecond in one call of ten, and reports what it takes in all others
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// For whoever puts a few strange times down to a busy machine, and then has only a few samples to make a
// speed of: of six blocks two would do.
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&cheat::send_less_now_and_then);
  if (patched) cheat::compute_slowly({in, out, n});
}
