// For a build without Boost's headers. Commands that need the network then report that it is missing.
#include "serve/http_client.h"
#include "serve/http_server.h"

namespace kgrade {
namespace {

Error without_boost() {
  return machine_error("this kgrade was built without Boost, so it has no network",
                       "install libboost-dev, and build it again");
}

}  // namespace

Result<std::string> get_from_service(const std::string&, const std::string&, const std::string&) {
  return without_boost();
}

std::vector<std::string> front_command(const Sandbox&, const Layout&) { return {}; }

bool ListenAddress::is_loopback() const { return true; }

Result<ListenAddress> parse_listen_address(const std::string&) { return without_boost(); }

Result<int> serve_http(Service&, Routes&, const ListenAddress&, FrontSetup, const HttpLimits&,
                       const std::function<void(const std::string&)>&) {
  return without_boost();
}

}  // namespace kgrade
