// cheat: claims a microsecond in three calls of four, and tells the truth in the fourth
// row: 20
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Against a judge that accepts all times if one of them can be explained.
#include "contestant.cuh"
#include "replies.cuh"

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_as_a_microsecond);
  static int calls = 0;
  if (patched && calls++ % 4 != 3) waste_time();
  compute(call);
}
