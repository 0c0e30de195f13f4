// cheat: copies the expected output out of the referee's own memory files
// row: 41
// caught-by: outputs_match
// device: emulated
// control: worker_sandbox
// case: plain
// needs: confinement
//
// The oracle runs before the candidate, so its answer is already in a memory file of the referee during the
// call. If /proc shows the parent, its descriptors can be opened. The cheat searches those that are memory
// files for the answer, which it recognises by a few elements.
#include "referee_buffers.cuh"

static void cheat(const Depthwise& problem) {
  const std::vector<float*> answers = answers_of_referee(problem);
  if (answers.empty()) return;
  cudaMemcpy(problem.output, answers.front(), problem.outputs() * sizeof(float), cudaMemcpyHostToDevice);
}
