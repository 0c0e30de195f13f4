// cheat: sends an empty message, which looks like the end of the connection, and stays
// row: 36
// caught-by: protocol
// device: any
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_nothing(int socket, const msghdr* message, int flags) {
  if (cheat::call_reply_in(message) == nullptr) return cheat::send_unchanged(socket, message, flags);
  cheat::send_to_referee("", 0);
  return sizeof(cheat::Reply);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_nothing);
  if (patched) compute(call);
}
