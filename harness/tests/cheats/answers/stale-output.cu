// cheat: answers the first call of a shape and leaves the output unchanged in all others
// row: 40
// caught-by: outputs_match
// device: any
// control: fresh_inputs, small_changes, fresh_poison, moving_buffers
// case: plain
//
// If inputs are drawn once and outputs are not cleared, the output of the first call is still there, and
// right.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  static size_t answered = 0;
  const size_t shape = problem.outputs();
  if (shape == answered) return;
  answered = shape;
  answer_honestly(problem);
}
