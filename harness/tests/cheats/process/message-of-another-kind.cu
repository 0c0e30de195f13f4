// cheat: sends each reply with the magic number of another protocol that the referee might accept
// row: 36
// caught-by: protocol
// device: any
// control: message_checks
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_another_kind(int socket, const msghdr* message, int flags) {
  if (cheat::Reply* const reply = cheat::call_reply_in(message))
    reply->magic = 0x80040495;  // a pickle begins so
  return cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_another_kind);
  if (patched) compute(call);
}
