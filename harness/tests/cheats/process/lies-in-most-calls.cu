// cheat: claims a microsecond in three calls of four, and is as fast as it says in the fourth
// row: 20
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// For whoever asks whether any of the times can be explained: one honest call acquits the others.
#include "contestant.cuh"
#include "replies.cuh"

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_as_a_microsecond);
  static int calls = 0;
  if (patched && calls++ % 4 != 3) waste_time();
  compute(call);
}
