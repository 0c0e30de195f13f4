// cheat: reports a time of NaN, which is neither too short nor too long
// row: 36
// caught-by: clock
// device: any
// control: clock_agreement
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_not_a_number(int socket, const msghdr* message, int flags) {
  if (cheat::Reply* const reply = cheat::call_reply_in(message)) reply->elapsed_ms = __builtin_nan("");
  return cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_not_a_number);
  if (patched) compute(call);
}
