// cheat: adds a kilobyte to each reply, against a referee that reads more than it has room for
// row: 36
// caught-by: protocol
// device: any
// control: message_checks
// case: tiny
//
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_too_much(int socket, const msghdr* message, int flags) {
  const cheat::Reply* const reply = cheat::call_reply_in(message);
  if (reply == nullptr) return cheat::send_unchanged(socket, message, flags);
  unsigned char bytes[sizeof *reply + 1024];
  memset(bytes, 0x41, sizeof bytes);
  memcpy(bytes, reply, sizeof *reply);
  cheat::send_to_referee(bytes, sizeof bytes);
  return sizeof *reply;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_too_much);
  if (patched) compute(call);
}
