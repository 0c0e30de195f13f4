// cheat: claims a microsecond in one call of ten, and reports the true time in all others
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// Against a judge that blames a busy machine for a few strange times, and has only a few samples left to
// compute a speed from: two of six blocks would be enough.
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&cheat::send_less_now_and_then);
  if (patched) cheat::compute_slowly({in, out, n});
}
