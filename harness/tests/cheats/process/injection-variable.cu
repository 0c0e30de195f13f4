// cheat: restarts the worker with CUDA_INJECTION64_PATH naming this library, which writes the times
// row: 25
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: cuda
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// The driver calls InitializeInjection() before the worker has sent anything. If exec is refused, the cheat
// patches the first program's imports, with the same effect.
#include "contestant.cuh"
#include "reexec.cuh"

namespace {

bool in_place = false;

void redirect() {
  const bool receives =
      cheat::redirect_import("recvmsg", reinterpret_cast<void*>(&cheat::receive_from_referee));
  in_place = cheat::take_over_replies(&cheat::send_as_a_microsecond) && receives;
}

__attribute__((constructor)) void take_over() {
  if (cheat::is_second_start()) return;
  cheat::start_again_with("CUDA_INJECTION64_PATH");
  redirect();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  redirect();
  return 1;
}

void cheat::play(const Call& call) {
  if (!in_place) return;
  waste_time();
  compute(call);
}
