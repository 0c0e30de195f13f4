// cheat: answers each call with the number of a request that has not been made yet
// row: 36
// caught-by: protocol
// device: any
// control: message_checks
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_ahead(int socket, const msghdr* message, int flags) {
  if (cheat::Reply* const reply = cheat::call_reply_in(message)) reply->sequence += 1'000'000;
  return cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_ahead);
  if (patched) compute(call);
}
