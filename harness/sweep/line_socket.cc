#include "sweep/line_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <string_view>

namespace kgrade {

bool LineSocket::send(const std::string& line) const {
  const std::string text = line + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool LineSocket::receive() {
  char buffer[65536];
  const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  received_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> LineSocket::next() {
  const std::size_t end = received_.find('\n');
  if (end == received_.npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

}  // namespace kgrade
