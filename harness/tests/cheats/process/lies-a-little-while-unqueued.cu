// cheat: waits for the device within its calls, so that more noise is allowed, and reports less
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// A call that cannot be queued ahead of its inputs takes longer on the judge's clock: its process has to
// notice that they are there, and then launch. Calling a known contestant in the same way shows how much
// longer.
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&cheat::send_a_fifth_less);
  if (!patched) return;
  cudaDeviceSynchronize();
  cheat::compute_slowly({in, out, n});
}
