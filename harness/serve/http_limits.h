// The limits of connections, requests and answers, for the front (http_front.h) and the service
// (front_link.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kgrade {

struct HttpLimits {
  std::size_t connections = 2048;
  std::uint32_t header_bytes = 16 << 10;
  int idle_seconds = 60;   // a connection without a request
  int read_seconds = 60;   // from permission to read a body to its last byte, and for writing an answer
  int linger_seconds = 2;  // after an answer to a request whose body was not read
  std::uint64_t body_bytes = std::uint64_t{32} << 20;    // of one request
  std::uint64_t answer_bytes = std::uint64_t{64} << 20;  // of one answer
  // The most bytes of bodies that are being read, and of answers that clients have not taken yet: of one
  // owner, and of all owners.
  std::uint64_t bodies_of_owner = std::uint64_t{128} << 20;
  std::uint64_t bodies = std::uint64_t{256} << 20;
  std::uint64_t answers_of_owner = std::uint64_t{128} << 20;
  std::uint64_t answers = std::uint64_t{256} << 20;
  // After a silence the service asks the front whether it is alive, and replaces the front if no answer comes
  // in time. On a busy machine the front may have to wait for seconds.
  int front_silence_seconds = 10;
  int front_patience_seconds = 60;
};

}  // namespace kgrade
