// A service and its front in one process and one thread, without an address to listen at.
#pragma once

#include <sys/socket.h>

#include <memory>

#include "serve/front_link.h"
#include "serve/http_front.h"
#include "serve/service.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

class HttpConnections {
 public:
  // Keeps references to both.
  HttpConnections(Service& service, Routes& routes, const HttpLimits& limits) : service_(service) {
    int ends[2];
    promise(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
    link_ = std::make_unique<FrontLink>(UniqueFd(ends[0]), routes, limits, false);
    front_ = std::make_unique<HttpFront>(UniqueFd(ends[1]), limits);
    front_->announce();
  }

  // Serves the client at the other end of this Unix stream socket.
  void add(UniqueFd socket) { front_->add(std::move(socket)); }

  // Reads, answers and commits until all clients have to be waited for. Waits for nothing itself, and starts
  // no lane.
  void go_on() {
    for (bool has_more = true; has_more;) {
      has_more = front_->poll();
      has_more = link_->receive() || has_more;
      if (service_.has_to_commit()) service_.commit();
      link_->send();
      promise(link_->fault().empty(), "a sound front does not break the rules: " + link_->fault());
    }
  }

  std::uint64_t kept_bytes() const { return link_->kept_bytes(); }

 private:
  Service& service_;
  std::unique_ptr<FrontLink> link_;
  std::unique_ptr<HttpFront> front_;
};

}  // namespace kgrade::fuzz
