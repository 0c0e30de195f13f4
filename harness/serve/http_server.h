// The network of the service: HTTP/1.1 over TCP or a Unix socket, in one thread for all connections.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "serve/routes.h"
#include "serve/service.h"

namespace kgrade {

// Where a service listens: "unix:PATH", "HOST:PORT" or ":PORT" (of 127.0.0.1). Port 0: any free one.
struct ListenAddress {
  std::filesystem::path socket;  // empty: TCP
  std::string host;              // an address, not a name
  unsigned short port = 0;

  bool is_loopback() const;
};
Result<ListenAddress> parse_listen_address(const std::string& text);

struct HttpLimits {
  std::size_t connections = 2048;
  std::uint64_t body_bytes = std::uint64_t{32} << 20;
  std::uint32_t header_bytes = 16 << 10;
  int idle_seconds = 60;  // a connection without a request
  int read_seconds = 60;  // from the first byte of a request to its last
};

// Connections that the caller has opened itself, without an address to listen at. For tests.
class HttpConnections {
 public:
  // Keeps references to both. The service must be destroyed before this object, since clients that wait for a
  // job have their connections in it.
  HttpConnections(Service& service, Routes& routes, const HttpLimits& limits);
  ~HttpConnections();

  // Serves the client at the other end of this Unix stream socket.
  void add(UniqueFd socket);
  // Reads, answers and commits until all clients have to be waited for. Waits for nothing itself, and starts
  // no lane.
  void go_on();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Serves until SIGINT or SIGTERM comes to the process, or forever. `listening` is called once with the
// address, with the port that was chosen. Errors: the address cannot be used.
Result<int> serve_http(Service& service, Routes& routes, const ListenAddress& address,
                       const HttpLimits& limits, const std::function<void(const std::string&)>& listening);

}  // namespace kgrade
