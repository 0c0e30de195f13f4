// Puts messages into a socket as hostile code would: of any size, with unexpected descriptors.
#pragma once

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include <array>
#include <string>

namespace kgrade::fuzz {

// Sends one message with `copies` of `descriptor`, at most 4. If the socket has no room for it, it is lost.
inline void send_message(int socket, const std::string& bytes, int descriptor = -1, std::size_t copies = 0) {
  std::string content = bytes;
  iovec part{content.data(), content.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  constexpr std::size_t most = 4;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most * sizeof(int))> control{};
  if (descriptor >= 0 && copies > 0) {
    copies = std::min(copies, most);
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(copies * sizeof(int));
    for (std::size_t i = 0; i < copies; ++i) {
      ::memcpy(CMSG_DATA(header) + i * sizeof(int), &descriptor, sizeof descriptor);
    }
  }
  ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// The first free descriptor: the same before and after code that must not keep any.
inline int first_free_descriptor() {
  const int probe = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(probe);
  return probe;
}

}  // namespace kgrade::fuzz
