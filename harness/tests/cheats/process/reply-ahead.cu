// cheat: answers each call and the next request at once, the latter with the number after its own
// row: 30
// caught-by: protocol
// device: any
// case: tiny
//
// The answer to the next call is there before the call is made, and seems to have taken a microsecond. The
// first call is honest, later ones compute nothing.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_for_two(int socket, const msghdr* message, int flags) {
  const ssize_t sent = cheat::send_unchanged(socket, message, flags);
  const auto* const reply = static_cast<const cheat::Reply*>(message->msg_iov[0].iov_base);
  if (message->msg_iov[0].iov_len != sizeof *reply || reply->status != cheat::idle) return sent;
  cheat::Request next = {};
  next.sequence = reply->sequence + 1;
  cheat::answer_call(next);
  return sent;
}

}  // namespace

void cheat::play(const Call& call) {
  static int calls = 0;
  static const bool patched = take_over_replies(&send_for_two);
  if (patched && calls++ == 0) compute(call);
}
