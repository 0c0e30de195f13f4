// expect: wrong_answer
// expect-case one-group: accepted
//
// GroupNorm over all channels of a sample, whatever num_groups says. Right where there is one group.
#include "plain.cuh"

void run(Steps plain) {
  plain.num_groups = 1;
  take_steps(plain);
}
