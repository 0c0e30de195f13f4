// cheat: is one launch behind: each does the work of the one before, and the first of a call that of the last
// row: 7
// caught-by: outputs_match
// device: any
// problem: ../../measured/problems/scale.md
// case: large
// launches: 4
//
// All the work is done in the end, and one launch of each call costs nothing on its clock.
#include "scale.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned launches = 0;
  static Scale kept;
  const Scale launch = {in, out, n};
  const unsigned number = launches++;
  if (number < 2) return compute(launch);
  if (number > 2) compute(kept);
  kept = launch;
}
