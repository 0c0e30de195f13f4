// The limits of the service's network, for the front (http_front.h) and for the service (front_link.h).
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
  // The bodies that are being read, and the answers that clients have not taken yet, have at most these
  // bytes.
  std::uint64_t bodies_of_owner = std::uint64_t{128} << 20;
  std::uint64_t bodies = std::uint64_t{256} << 20;
  std::uint64_t answers_of_owner = std::uint64_t{128} << 20;
  std::uint64_t answers = std::uint64_t{256} << 20;
  // The service asks a front whether it is alive, and replaces it if it does not answer in time. A machine
  // that is busy may let the front wait for seconds.
  int front_silence_seconds = 10;
  int front_patience_seconds = 60;
};

}  // namespace kgrade
