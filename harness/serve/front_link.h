// The service's end of the connection to its front, the process that parses HTTP. It treats the front as
// hostile: what it sends is checked, and it makes the service keep only so much.
//
// Everything runs in the service's thread. Nothing here waits.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "serve/http_limits.h"
#include "serve/routes.h"

namespace kgrade {

class FrontLink {
 public:
  // `socket`: a Unix stream socket. Keeps a reference to the routes. `is_tcp`: clients come over TCP, and not
  // over a Unix socket.
  FrontLink(UniqueFd socket, Routes& routes, const HttpLimits& limits, bool is_tcp);
  // Answers that come later are dropped.
  ~FrontLink();

  int descriptor() const;
  // Reads what has come, and carries it out. Returns whether anything has come.
  bool receive();
  // Sends what the front takes now. has_to_send(): the rest waits until the descriptor can be written to.
  void send();
  bool has_to_send() const;
  // Call a few times a second. Asks the front now and then whether it is alive.
  void look_at_the_clock();

  // The front has confined itself, and accepts clients.
  bool is_ready() const;
  // Why the front has to be ended: it is gone, it does not answer, or it has sent something wrong. Empty
  // while there is no reason. Then nothing more is read or sent.
  const std::string& fault() const;
  // Bytes of bodies and of answers that are kept for clients now. For tests.
  std::uint64_t kept_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kgrade
