// cheat: reports a tenth of a millisecond less than a call takes, which looks like noise between clocks
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// For a kernel that takes 250 microseconds, that is 1.7 times its speed.
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&cheat::send_a_tenth_less);
  if (patched) cheat::compute_slowly({in, out, n});
}
