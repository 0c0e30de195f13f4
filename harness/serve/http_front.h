// The front of the service. It parses HTTP/1.1 for all connections in one thread, and knows nothing of
// grading. Each request goes to the service as frames over a socket (front_frames.h), and the answer comes
// back as frames.
//
// A request's body is read only after the service has permitted it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/unique_fd.h"
#include "serve/front_frames.h"

namespace kgrade {

class HttpFront {
 public:
  // `link`: a Unix stream socket to the service.
  HttpFront(UniqueFd link, const HttpLimits& limits);
  ~HttpFront();

  // Tells the service that the front is ready. Call this first.
  void announce();
  // Accepts clients from now on.
  void accept_at(UniqueFd listening);
  // Serves the client at the other end of this socket. For tests.
  void add(UniqueFd socket);

  // Serves until the service is gone.
  void run();
  // Does what can be done now, without waiting. Returns whether there was anything to do. For tests.
  bool poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kgrade
