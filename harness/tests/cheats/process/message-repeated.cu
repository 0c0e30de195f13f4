// cheat: sends its first reply five hundred times, so that later calls are answered before they are made
// row: 36
// caught-by: protocol
// device: any
// case: tiny
//
// The first call is honest; later ones compute nothing.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

ssize_t send_often(int socket, const msghdr* message, int flags) {
  const ssize_t sent = cheat::send_unchanged(socket, message, flags);
  const cheat::Reply* const reply = cheat::call_reply_in(message);
  for (int i = 1; reply != nullptr && i < 500; ++i) cheat::send_to_referee(reply, sizeof *reply);
  return sent;
}

}  // namespace

void cheat::play(const Call& call) {
  static int calls = 0;
  static const bool patched = take_over_replies(&send_often);
  if (patched && calls++ == 0) compute(call);
}
