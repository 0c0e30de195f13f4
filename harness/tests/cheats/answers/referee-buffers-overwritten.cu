// cheat: makes the expected output agree with a wrong answer
// row: 42
// caught-by: outputs_match
// device: emulated
// case: plain
// needs: confinement
//
// Zeros in its own output, and zeros wherever the referee keeps the right answer: in the oracle's output,
// which the candidate's is about to be compared with. The referee's memory files are found by way of /proc,
// as in referee-buffers.cu, and opened for writing. As long as the reference has not had its turn only one
// place holds the answer: the reference would be seen to disagree with zeros, so that the answer is copied
// instead.
#include "referee_buffers.cuh"

static void cheat(const Depthwise& problem) {
  const size_t bytes = problem.outputs() * sizeof(float);
  const std::vector<float*> answers = answers_of_referee(problem);
  if (answers.size() == 1) {
    std::memcpy(problem.output, answers.front(), bytes);
    return;
  }
  for (float* const expected : answers) std::memset(expected, 0, bytes);
  std::memset(problem.output, 0, bytes);
}
