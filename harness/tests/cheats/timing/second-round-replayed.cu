// cheat: copies the output of a block's first round in its second, as if a block had one set of contents
// row: 8
// caught-by: outputs_match, fresh_contents
// device: any
// control: fresh_inputs
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// After the warm-up it counts calls in pairs. Calls that give no sample come in between. A judge that checked
// only first rounds would see nothing.
#include "scale.cuh"

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned calls = 0;
  static float* kept = nullptr;
  const Scale launch = {in, out, n};
  if (kept == nullptr) cudaMalloc(&kept, n * sizeof *out);
  if (calls++ < 2) return compute(launch);
  if (calls % 2 == 0) {
    cudaMemcpyAsync(out, kept, n * sizeof *out, cudaMemcpyDeviceToDevice, 0);
    return;
  }
  compute(launch);
  cudaMemcpyAsync(kept, out, n * sizeof *out, cudaMemcpyDeviceToDevice, 0);
}
