// cheat: denies that its launches waited at the gate, so that more noise is allowed, and reports less
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// Its reply says whether launches were queued ahead; the judge saw itself that they waited at the gate.
#include "small-lie.cuh"

namespace {

ssize_t send_denied(int socket, const msghdr* message, int flags) {
  if (cheat::Reply* const reply = cheat::call_reply_in(message)) reply->latency_hidden = 0;
  return cheat::send_a_tenth_less(socket, message, flags);
}

}  // namespace

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&send_denied);
  if (patched) cheat::compute_slowly({in, out, n});
}
