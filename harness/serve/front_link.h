// The service's end of the connection to its front, the process that parses HTTP. The front is treated as
// hostile: everything that it sends is checked, and the memory that it can make the service use is limited.
//
// Everything runs in the service's thread. No call here blocks.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "serve/front_frames.h"
#include "serve/routes.h"

namespace kgrade {

class FrontLink {
 public:
  // `socket`: a Unix stream socket. Keeps a reference to the routes. `is_tcp`: clients come over TCP, and not
  // over a Unix socket.
  FrontLink(UniqueFd socket, Routes& routes, const HttpLimits& limits, bool is_tcp);
  // Answers that come after the destructor are dropped.
  ~FrontLink();

  int descriptor() const;
  // Reads the frames that have come, and carries them out. Returns whether anything has come.
  bool receive();
  // Sends as much as the front takes now. If has_to_send(), call send() again when the descriptor is
  // writable.
  void send();
  bool has_to_send() const;
  // Call a few times a second. Asks the front from time to time whether it is alive.
  void look_at_the_clock();

  // True when the front has confined itself and accepts clients.
  bool is_ready() const;
  // Why the front has to be ended: it is gone, it does not answer, or it has sent something wrong. Empty
  // while there is no reason. After a fault, nothing more is read or sent.
  const std::string& fault() const;
  // The bytes of bodies and answers that are now in memory for clients. For tests.
  std::uint64_t kept_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kgrade
