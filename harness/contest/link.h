// One end of the socket between referee and worker.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "base/unique_fd.h"
#include "contest/message.h"

namespace kgrade {

class Link {
 public:
  explicit Link(UniqueFd socket) : socket_(std::move(socket)) {}

  // Two connected ends. Throws std::system_error when the kernel has no sockets left.
  static std::pair<Link, Link> make_pair();

  int descriptor() const { return socket_.get(); }

  // The referee's side. send() is false when the worker is gone; `descriptor` -1 sends none.
  bool send(const Request& request, int descriptor = -1);
  enum class Outcome { message, timeout, closed, malformed };
  // Waits for one reply; a reply of another size, magic or sequence number is malformed.
  Outcome receive(Reply& reply, std::uint64_t sequence, std::chrono::milliseconds patience);

  // The worker's side.
  bool send(const Reply& reply);
  // The next request and the descriptor that came with it; nothing when the referee is gone.
  std::optional<std::pair<Request, UniqueFd>> next_request();

 private:
  UniqueFd socket_;
};

}  // namespace kgrade
