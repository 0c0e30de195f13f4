// What the hostile workers of fuzz_test send: mostly well-formed messages with any contents, so that a worker
// lives for a while, and sometimes something that is not a message.
#pragma once

#include <cstring>
#include <string>

#include "contest/protocol.h"
#include "tests/fuzz/noise.h"

namespace kgrade::fuzz {

inline std::string bytes_of(const Reply& reply) {
  return std::string(reinterpret_cast<const char*>(&reply), sizeof reply);
}

inline Reply reply_with_any_fields(Noise& noise, std::uint64_t sequence, ReplyStatus status) {
  Reply reply;
  const std::string fields = noise.bytes(sizeof reply);
  std::memcpy(static_cast<void*>(&reply), fields.data(), sizeof reply);
  reply.magic = message_magic;
  reply.sequence = sequence;
  reply.status = status;
  reply.fault = static_cast<Fault>(noise.below(20));
  if (noise.one_in(2)) reply.call.error = 0;
  return reply;
}

// Of all sizes, from empty to larger than any socket accepts.
inline std::string noisy_message(Noise& noise, std::uint64_t sequence) {
  Reply reply;
  reply.sequence = sequence;
  switch (noise.below(6)) {
    case 0:
      return noise.bytes(noise.below(2 * sizeof reply));
    case 1:
      return noise.bytes(noise.below(1000 * noise.below(200) + 1));
    case 2:
      return bytes_of(reply).substr(0, noise.below(sizeof reply));
    case 3:
      reply.status = static_cast<ReplyStatus>(noise.below(8));
      reply.fault = static_cast<Fault>(noise.below(20));
      return bytes_of(reply);
    case 4:
      reply.sequence = sequence + noise.below(4) - 2;
      return bytes_of(reply);
    default:
      return noise.mutated(bytes_of(reply), {});
  }
}

inline std::string random_message(Noise& noise, std::uint64_t sequence, ReplyStatus status) {
  if (noise.one_in(16)) return noisy_message(noise, sequence);
  return bytes_of(reply_with_any_fields(noise, sequence, status));
}

}  // namespace kgrade::fuzz
