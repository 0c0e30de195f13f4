#include "contest/protocol.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include "base/defences.h"

namespace kgrade {
namespace {

using Clock = std::chrono::steady_clock;

// Room for the control message that carries one descriptor (cmsg(3)).
union DescriptorControl {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

bool send_all(int socket, const void* data, std::size_t size, int descriptor, int flags) {
  iovec part{const_cast<void*>(data), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  DescriptorControl control{};
  if (descriptor >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    ::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | flags);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

// The referee sends only sound requests, but a worker checks them before it computes addresses from them.
bool is_sound(const Request& request) {
  if (request.magic != message_magic) return false;
  if (request.type < RequestType::load || request.type > last_request_type) return false;
  const Loan& loan = request.loan;
  if (loan.parameter >= max_parameters || request.parameters > max_parameters) return false;
  if (loan.launch >= max_launches || request.launch >= max_launches) return false;
  return loan.begin <= loan.bytes && loan.length <= loan.bytes - loan.begin;
}

UniqueFd received_descriptor(msghdr& message) {
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
    return UniqueFd();
  }
  // The padding of the control message leaves room for a second one.
  UniqueFd first;
  for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= header->cmsg_len; at += sizeof(int)) {
    int descriptor = -1;
    ::memcpy(&descriptor, CMSG_DATA(header) + at, sizeof descriptor);
    UniqueFd taken(descriptor);
    if (at == 0) first = std::move(taken);
  }
  return first;
}

// poll(2) until there is something to read; false when `deadline` has passed.
bool wait_readable(int socket, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{socket, POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return true;  // the read that follows reports it
  }
}

// Whether POLLIN or POLLRDHUP is there now.
bool has_event(int socket, short event) {
  pollfd entry{socket, event, 0};
  return ::poll(&entry, 1, 0) > 0;
}

bool has_hung_up(int socket) { return has_event(socket, POLLRDHUP); }

// How often a listener checks whether the process has ended.
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

}  // namespace

std::pair<Connection, Connection> Connection::make_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {Connection(UniqueFd(ends[0])), Connection(UniqueFd(ends[1]))};
}

bool Connection::send(const Request& request, int descriptor) {
  return send_all(socket_.get(), &request, sizeof request, descriptor, MSG_DONTWAIT);
}

bool Connection::send(const Reply& reply, int descriptor) {
  return send_all(socket_.get(), &reply, sizeof reply, descriptor, 0);
}

Connection::Outcome Connection::receive(Reply& reply, std::uint64_t sequence,
                                        std::chrono::milliseconds patience, UniqueFd* descriptor) {
  // Without patience, the read itself says that nothing is there.
  if (patience.count() > 0 && !wait(patience)) return Outcome::timeout;
  return read(reply, sequence, MSG_DONTWAIT, descriptor);
}

bool Connection::wait(std::chrono::milliseconds patience) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point spin_until = start + std::min<Clock::duration>(spin_, patience);
  while (Clock::now() < spin_until) {
    if (has_event(socket_.get(), POLLIN)) return true;
    ::sched_yield();  // the other end may have no other processor
  }
  return wait_readable(socket_.get(), start + patience);
}

bool Connection::has_unread() {
  char first = 0;
  const ssize_t size = ::recv(socket_.get(), &first, sizeof first, MSG_DONTWAIT | MSG_PEEK);
  // An empty message looks like the end of the stream.
  return size > 0 || (size == 0 && !has_hung_up(socket_.get()));
}

bool Connection::peek(Reply& reply, std::uint64_t sequence) {
  return read(reply, sequence, MSG_DONTWAIT | MSG_PEEK) == Outcome::message;
}

Connection::Outcome Connection::read(Reply& reply, std::uint64_t sequence, int flags, UniqueFd* descriptor) {
  iovec part{&reply, sizeof reply};
  DescriptorControl control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  // Without a control buffer the kernel drops the descriptors that a worker sends.
  if (descriptor != nullptr) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
  }
  // MSG_TRUNC makes the kernel return the true length of a message that is too long.
  const ssize_t size = ::recvmsg(socket_.get(), &message, MSG_TRUNC | MSG_CMSG_CLOEXEC | flags);
  if (size >= 0 && descriptor != nullptr) *descriptor = received_descriptor(message);
  if (size < 0) return errno == EAGAIN ? Outcome::timeout : Outcome::closed;
  // An empty message looks like the end of the stream.
  if (size == 0 && has_hung_up(socket_.get())) return Outcome::closed;
  if (!is_on(Defence::message_checks)) return Outcome::message;
  if (size != static_cast<ssize_t>(sizeof reply)) return Outcome::malformed;
  const bool sound = reply.magic == message_magic && reply.sequence == sequence &&
                     reply.status >= ReplyStatus::done && reply.status <= last_reply_status &&
                     reply.fault <= last_fault;
  return sound ? Outcome::message : Outcome::malformed;
}

std::optional<std::pair<Request, UniqueFd>> Connection::next_request() {
  for (int spin = 0; spin < spins_ && !has_event(socket_.get(), POLLIN); ++spin) ::sched_yield();
  Request request;
  iovec part{&request, sizeof request};
  DescriptorControl control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  UniqueFd descriptor = received_descriptor(message);
  if (size != static_cast<ssize_t>(sizeof request) || (message.msg_flags & MSG_TRUNC) != 0 ||
      !is_sound(request)) {
    return std::nullopt;
  }
  return std::make_pair(request, std::move(descriptor));
}

Result<Listener> Listener::open(const std::filesystem::path& path) {
  sockaddr_un address;
  if (!address_of(path, address)) {
    return machine_error(fmt::format("the path {} is too long for a socket", path.string()),
                         "set TMPDIR to a shorter one");
  }
  UniqueFd socket = new_socket();
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), generic, sizeof address) != 0 || ::listen(socket.get(), 1) != 0) {
    return machine_error(fmt::format("cannot listen on {}: {}", path.string(), ::strerror(errno)));
  }
  return Listener(std::move(socket));
}

Result<Connection> Listener::accept(std::chrono::milliseconds patience,
                                    const std::function<bool()>& is_gone) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    pollfd entry{socket_.get(), POLLIN, 0};
    if (::poll(&entry, 1, look_again_ms) > 0) {
      UniqueFd connected(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      // Only we can reach the folder, so only we can connect; this checks it.
      ucred peer{};
      socklen_t size = sizeof peer;
      if (connected && ::getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
          peer.uid == ::geteuid())
        return Connection(std::move(connected));
    } else if (is_gone()) {
      return machine_error("the process has ended before it connected");
    }
  }
  return machine_error("nothing connected in time");
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
