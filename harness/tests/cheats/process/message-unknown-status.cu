// cheat: answers with a status that is in no table
// row: 36
// caught-by: protocol
// device: any
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_unknown_status(int socket, const msghdr* message, int flags) {
  if (cheat::Reply* const reply = cheat::call_reply_in(message)) reply->status = 0x7fffffff;
  return cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_unknown_status);
  if (patched) compute(call);
}
