// cheat: reports that it is done, then computes, and lets the worker take its copy of the output afterwards
// row: 20
// caught-by: outputs_match
// device: emulated
// case: tiny
//
// Against a judge that stops the clock at the message, and reads the output when everything is quiet.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

uint64_t answered = 0;

// The cheat's own answer has already been sent; the worker's is dropped.
ssize_t swallow(int socket, const msghdr* message, int flags) {
  const auto* const reply = static_cast<const cheat::Reply*>(message->msg_iov[0].iov_base);
  const bool known = message->msg_iov[0].iov_len == sizeof *reply && reply->sequence == answered;
  if (known && reply->status != cheat::idle) return sizeof *reply;
  return cheat::send_unchanged(socket, message, flags);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = take_over_replies(&swallow);
  const Request request = request_on_stack(call_request);
  if (!patched || request.sequence == 0) return compute(call);
  answered = request.sequence;
  Reply reply;
  reply.sequence = request.sequence;
  reply.status = done;
  reply.elapsed_ms = 0.0005;
  send_to_referee(&reply, sizeof reply);
  waste_time();
  compute(call);
}
