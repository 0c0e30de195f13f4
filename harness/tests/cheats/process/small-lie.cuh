// An honest kernel for the problem `scale` that takes 250 microseconds longer than necessary, and replies
// that omit 100 of them, or 200, or nearly all in a few calls. A speedup of a short kernel needs lies of this
// size, and a careless judge takes them as noise.
#pragma once

#include <cuda_runtime.h>

#include "replies.cuh"

namespace cheat {

struct Scale {
  const float* in;
  float* out;
  size_t n;
};

__global__ void scale_slowly(Scale call, long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < call.n) call.out[i] = 2 * call.in[i];
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

inline void compute_slowly(const Scale& call) {
  scale_slowly<<<(unsigned)((call.n + 255) / 256), 256>>>(call, 250'000);
}

// The time in an outgoing reply to a call.
inline void leave_out(double milliseconds, const msghdr* message) {
  Reply* const reply = call_reply_in(message);
  if (reply != nullptr && reply->elapsed_ms > milliseconds + 0.02) reply->elapsed_ms -= milliseconds;
}

// Says that the cache keeps lines for it, in the reply about that.
inline void claim_kept_lines(const msghdr* message) {
  auto* const reply = static_cast<Reply*>(message->msg_iov[0].iov_base);
  const bool is_reply = message->msg_iov[0].iov_len == sizeof *reply && reply->magic == magic_number;
  if (is_reply && reply->status == idle) reply->kept_cache_bytes = 1 << 20;
}

inline ssize_t send_a_tenth_less(int socket, const msghdr* message, int flags) {
  leave_out(0.1, message);
  return send_unchanged(socket, message, flags);
}

inline ssize_t send_a_fifth_less(int socket, const msghdr* message, int flags) {
  leave_out(0.2, message);
  return send_unchanged(socket, message, flags);
}

// Nearly all of the time in one call of ten.
inline ssize_t send_less_now_and_then(int socket, const msghdr* message, int flags) {
  static int calls = 0;
  Reply* const reply = call_reply_in(message);
  if (reply != nullptr && ++calls % 10 == 0) reply->elapsed_ms = 0.001;
  return send_unchanged(socket, message, flags);
}

}  // namespace cheat
