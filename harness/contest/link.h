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

  // The referee's side. send() never waits: it is false when the worker is gone, or has left so many requests
  // unread that no more fit into the socket, or for another reason in errno. `descriptor` -1 sends none.
  bool send(const Request& request, int descriptor = -1);
  enum class Outcome { message, timeout, closed, malformed };
  // Waits for one reply; a reply of another size, magic or sequence number is malformed.
  Outcome receive(Reply& reply, std::uint64_t sequence, std::chrono::milliseconds patience);
  // False when there is nothing to receive within that time.
  bool wait(std::chrono::milliseconds patience);
  // From now on every wait begins with asking again and again, for so long: an answer that comes in the
  // meantime does not find the thread asleep, and waking it up takes tens of microseconds.
  void ask_eagerly_for(std::chrono::microseconds time) { eager_ = time; }
  // True when anything is there that has not been received, be it no reply; not for an end that is closed.
  bool has_unread();
  // A sound reply that is there, which stays there; false when there is none.
  bool peek(Reply& reply, std::uint64_t sequence);

  // The worker's side.
  bool send(const Reply& reply);
  // The next request and the descriptor that came with it; nothing when the referee is gone, or sends what is
  // no request: another size, magic or type, more parameters than there are, a tensor outside of its buffer.
  std::optional<std::pair<Request, UniqueFd>> next_request();
  // From now on next_request() looks so many times before it goes to sleep. Not a time: who is stopped
  // meanwhile goes on looking when he is woken, and that is when the next request comes.
  void look_eagerly(int times) { looks_ = times; }

 private:
  Outcome read(Reply& reply, std::uint64_t sequence, int flags);
  void look_for_request() const;

  UniqueFd socket_;
  std::chrono::microseconds eager_{0};
  int looks_ = 0;
};

}  // namespace kgrade
