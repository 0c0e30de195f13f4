#include "contest/listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

namespace kgrade {
namespace {

using Clock = std::chrono::steady_clock;

// How often a listener looks whether there is anything left to wait for.
constexpr int look_again_ms = 50;

// False when the path is too long.
bool address_of(const std::filesystem::path& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.size() >= sizeof address.sun_path) return false;
  ::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return true;
}

UniqueFd new_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

// Only we can reach the folder, so only we can connect; this checks it.
bool is_our_own(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

Result<Listener> Listener::open(const std::filesystem::path& path) {
  sockaddr_un address;
  if (!address_of(path, address)) {
    return Error{fmt::format("the path {} is too long for a socket", path.string()),
                 "set TMPDIR to a shorter one",
                 {}};
  }
  UniqueFd socket = new_socket();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), generic, sizeof address) != 0 || ::listen(socket.get(), 1) != 0) {
    return Error{fmt::format("cannot listen on {}: {}", path.string(), ::strerror(errno)), "", {}};
  }
  return Listener(std::move(socket));
}

Result<Link> Listener::accept(std::chrono::milliseconds patience, const std::function<bool()>& is_gone) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    pollfd entry{socket_.get(), POLLIN, 0};
    if (::poll(&entry, 1, look_again_ms) > 0) {
      UniqueFd connected(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connected && is_our_own(connected.get())) return Link(std::move(connected));
    } else if (is_gone()) {
      return Error{"the process has ended before it connected", "", {}};
    }
  }
  return Error{"nothing connected in time", "", {}};
}

UniqueFd connect_to(const std::filesystem::path& path) {
  sockaddr_un address;
  UniqueFd socket = new_socket();
  if (!address_of(path, address) || !socket) return UniqueFd();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket.get(), generic, sizeof address) != 0) return UniqueFd();
  return socket;
}

}  // namespace kgrade
