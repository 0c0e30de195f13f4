// The network of the service. The service itself parses no HTTP. It opens the listening socket, and another
// process, the front, accepts clients and reads HTTP (http_front.h).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compile/layout.h"
#include "sandbox/sandbox.h"
#include "serve/routes.h"
#include "serve/service.h"

namespace kgrade {

struct FrontSetup {
  std::vector<std::string> command;
  std::function<void(const std::string&)> note = [](const std::string&) {};  // for the service's own log
};

// The command of a front that the sandbox confines with all layers that this machine has.
std::vector<std::string> front_command(const Sandbox& sandbox, const Layout& layout);

// Where a service listens: "unix:PATH", "HOST:PORT" or ":PORT" (of 127.0.0.1). Port 0 stands for any free
// port.
struct ListenAddress {
  std::filesystem::path socket;  // empty: TCP
  std::string host;              // an address, not a name
  unsigned short port = 0;

  bool is_loopback() const;
};
Result<ListenAddress> parse_listen_address(const std::string& text);

// Serves until SIGINT or SIGTERM ends the process. `listening` is called once with the address, which has the
// chosen port. Errors if the address cannot be used, or if no front can be started.
Result<int> serve_http(Service& service, Routes& routes, const ListenAddress& address, FrontSetup front,
                       const HttpLimits& limits, const std::function<void(const std::string&)>& listening);

}  // namespace kgrade
