// cheat: is a little slow in its first calls, which determine how many launches a sample has
// row: 9
// caught-by: no_gain (cuda)
// twin: honest-scale.cu
// device: cuda
// problem: ../../measured/problems/scale.md
// case: large
//
// With one launch in a sample, the clock's own share would be larger. The number follows from the fastest
// contestant, which is then the reference; and fewer launches only add to the time of all.
#include "scale.cuh"

static __global__ void stall(long long cycles) {
  for (const long long start = clock64(); clock64() - start < cycles;) {
  }
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned calls = 0;
  if (calls++ < 2) stall<<<1, 1>>>(50000);
  compute({in, out, n});
}
