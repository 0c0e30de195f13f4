// The messages between referee and worker as a contestant sees them (contest/protocol.h), and ways to send
// different ones.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "imports.cuh"

namespace cheat {

constexpr int referee_socket = 3;
constexpr uint32_t magic_number = 0x6b677264;
constexpr uint32_t load_request = 1;
constexpr uint32_t call_request = 4;
constexpr uint32_t done = 1;
constexpr uint32_t queued = 2;
constexpr uint32_t idle = 3;

// Only the part that matters here.
struct Request {
  uint32_t magic, type;
  uint64_t sequence;
  uint64_t loan[7];
  uint32_t parameters, build;
  uint32_t launch, gate, waiter;
};

struct Reply {
  uint32_t magic = magic_number;
  uint32_t status = done;
  uint64_t sequence = 0;
  int32_t error = 0;
  uint32_t latency_hidden = 0;
  double elapsed_ms = 0.001;
  uint64_t limit_bytes = 0;
  uint64_t failed_launch[21] = {};
  uint64_t kept_cache_bytes = 0;
  uint32_t fault = 0;
};

// Bypasses the C library, whose functions a cheat may have replaced.
inline void send_to_referee(const void* bytes, size_t size) {
  syscall(SYS_sendto, referee_socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
}

// The reply to a call that the worker is about to send; nullptr for any other message.
inline Reply* call_reply_in(const msghdr* message) {
  if (message == nullptr || message->msg_iovlen != 1 || message->msg_iov[0].iov_len != sizeof(Reply))
    return nullptr;
  auto* const reply = static_cast<Reply*>(message->msg_iov[0].iov_base);
  return reply->magic == magic_number && reply->elapsed_ms != 0 ? reply : nullptr;
}

using SendMessage = ssize_t(int, const msghdr*, int);

inline ssize_t send_unchanged(int socket, const msghdr* message, int flags) {
  return syscall(SYS_sendmsg, socket, message, flags);
}

// Sends the worker's replies through `replacement` from now on. False if it sends them in some other way.
inline bool take_over_replies(SendMessage* replacement) {
  return redirect_import("sendmsg", reinterpret_cast<void*>(replacement));
}

inline ssize_t send_as_a_microsecond(int socket, const msghdr* message, int flags) {
  if (Reply* const reply = call_reply_in(message)) reply->elapsed_ms = 0.001;
  return send_unchanged(socket, message, flags);
}

inline bool looks_like_request(const unsigned char* at, uint32_t type) {
  uint32_t words[2];
  uint64_t sequence;
  memcpy(words, at, sizeof words);
  memcpy(&sequence, at + sizeof words, sizeof sequence);
  return words[0] == magic_number && words[1] == type && sequence > 0 && sequence < UINT64_MAX;
}

// The request that this thread is serving, from the stack frames below ours; its sequence is 0 if it is not
// there.
__attribute__((noinline)) inline Request request_on_stack(uint32_t type) {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  size_t bytes = 0;
  Request request = {};
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return request;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const unsigned char* const end = static_cast<unsigned char*>(lowest) + bytes - sizeof request;
  auto at = reinterpret_cast<const unsigned char*>(__builtin_frame_address(0));
  while (at < end && !looks_like_request(at, type)) at += 8;
  if (at < end) memcpy(&request, at, sizeof request);
  return request;
}

// Sends all the replies that the referee expects for this call. If the worker's own thread waits at the gate,
// the worker has already said that the call is queued.
inline void answer_call(const Request& request) {
  Reply reply;
  reply.sequence = request.sequence;
  for (uint32_t status : {queued, done, idle}) {
    reply.status = status;
    reply.elapsed_ms = status == done ? 0.001 : 0;
    if (status != queued || (request.gate != 0 && request.waiter == 0)) send_to_referee(&reply, sizeof reply);
  }
}

}  // namespace cheat
