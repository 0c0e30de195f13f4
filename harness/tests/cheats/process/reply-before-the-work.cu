// cheat: answers the referee before the work is done, and drops the worker's own answer
// row: 30
// caught-by: outputs_match
// device: any
// case: tiny
//
// The request is on the worker's stack. The order of messages stays right: each reply of a call comes once,
// and all are well formed.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

uint64_t answered = 0;

ssize_t send_what_is_left(int socket, const msghdr* message, int flags) {
  const auto* const reply = static_cast<const cheat::Reply*>(message->msg_iov[0].iov_base);
  const bool known = message->msg_iov[0].iov_len == sizeof *reply && reply->sequence == answered;
  return known ? sizeof *reply : cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&send_what_is_left);
  const Request request = request_on_stack(call_request);
  if (!patched || request.sequence == 0) return;
  answered = request.sequence;
  answer_call(request);
  waste_time();
  compute(call);
}
