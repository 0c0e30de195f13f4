// cheat: makes the expected output agree with a wrong answer
// row: 42
// caught-by: outputs_match
// device: emulated
// case: plain
// needs: confinement
//
// It writes zeros to its own output and to every place where the referee keeps the right answer: the oracle's
// output, with which the candidate's is about to be compared. It finds the referee's memory files through
// /proc, as in referee-buffers.cu, and opens them for writing. Before the reference has run, only one place
// holds the answer. The reference would then disagree with zeros, so the answer is copied instead.
#include "referee_buffers.cuh"

static void cheat(const Depthwise& problem) {
  const size_t bytes = problem.outputs() * sizeof(float);
  const std::vector<float*> answers = answers_of_referee(problem);
  if (answers.size() == 1) {
    cudaMemcpy(problem.output, answers.front(), bytes, cudaMemcpyHostToDevice);
    return;
  }
  for (float* const expected : answers) std::memset(expected, 0, bytes);
  cudaMemset(problem.output, 0, bytes);
}
