// cheat: does the work of a launch together with the next one's, which saves every second kernel
// row: 7
// caught-by: outputs_match
// device: any
// problem: ../../measured/problems/scale.md
// case: large
// launches: 2
//
// Right as long as calls have an even number of launches; some calls have fewer than usual.
#include "scale.cuh"

static __global__ void scale_both(Scale first, Scale second) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first.n) first.out[i] = 2 * first.in[i];
  if (i < second.n) second.out[i] = 2 * second.in[i];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned launches = 0;
  static Scale kept;
  const Scale launch = {in, out, n};
  // The first two calls of a process have one launch each; after that they come in pairs.
  const unsigned number = launches++;
  if (number < 2) return compute(launch);
  if (number % 2 == 0) {
    kept = launch;
  } else {
    scale_both<<<scale_blocks(launch), 256>>>(kept, launch);
  }
}
