// cheat: sends eight bytes of each reply, against a referee that takes the rest from an earlier message
// row: 36
// caught-by: protocol
// device: any
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_too_little(int socket, const msghdr* message, int flags) {
  const cheat::Reply* const reply = cheat::call_reply_in(message);
  if (reply == nullptr) return cheat::send_unchanged(socket, message, flags);
  cheat::send_to_referee(reply, 8);
  return sizeof *reply;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_too_little);
  if (patched) compute(call);
}
