// cheat: restarts the worker with LD_PRELOAD naming this library, whose sendmsg writes the times
// row: 24
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// It does so while it is being loaded. The second program answers the load request that the first has
// received. If exec is refused, the cheat patches the first one's imports, with the same effect.
#include "contestant.cuh"
#include "reexec.cuh"

extern "C" __attribute__((visibility("default"))) ssize_t recvmsg(int socket, msghdr* message, int flags) {
  return cheat::receive_from_referee(socket, message, flags);
}
extern "C" __attribute__((visibility("default"))) ssize_t sendmsg(int socket, const msghdr* message,
                                                                  int flags) {
  return cheat::send_as_a_microsecond(socket, message, flags);
}

namespace {

bool in_place = false;

__attribute__((constructor)) void take_over() {
  in_place = cheat::is_second_start();
  if (in_place) return;
  cheat::start_again_with("LD_PRELOAD");
  in_place = cheat::take_over_replies(&cheat::send_as_a_microsecond);
}

}  // namespace

void cheat::play(const Call& call) {
  if (!in_place) return;
  waste_time();
  compute(call);
}
