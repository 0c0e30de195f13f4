// Inputs drawn from a seed: the same on every machine.
#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "contest/protocol.h"

namespace kgrade::fuzz {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : generator_(seed) {}

  // 0 to bound - 1. The distributions of the standard library differ between machines; this function does
  // not.
  std::size_t below(std::size_t bound) { return generator_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  std::string bytes(std::size_t size) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(generator_());
    return text;
  }

  // One to eight edits: bytes changed, removed, doubled and moved, and pieces put in.
  std::string mutated(std::string text, const std::vector<std::string>& pieces) {
    for (std::size_t edits = 1 + below(8); edits > 0; --edits) edit(text, pieces);
    return text;
  }

 private:
  void edit(std::string& text, const std::vector<std::string>& pieces) {
    if (text.empty()) text = "\n";
    const std::size_t at = below(text.size());
    const std::string part = text.substr(below(text.size()), 1 + below(40));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(generator_());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, 1 + below(40));
        break;
      case 3:
        text.insert(at, part);
        break;
      case 4:
        text.replace(at, part.size(), part);
        break;
      default:
        text.insert(at, pieces.empty() ? bytes(1 + below(8)) : pieces[below(pieces.size())]);
        break;
    }
  }

  std::mt19937_64 generator_;
};

// What the hostile workers of fuzz_test send: mostly well-formed messages with any contents, so that a worker
// lives for a while, and sometimes something that is not a message.

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

// Messages of all sizes, from empty to larger than any socket accepts.
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
