// cheat: patches the worker's slot of sendmsg, so that every outgoing reply claims a microsecond
// row: 20
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Whichever clock the worker reads, the reading leaves through one function.
#include "contestant.cuh"
#include "replies.cuh"

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_as_a_microsecond);
  if (!patched) return;
  waste_time();
  compute(call);
}
