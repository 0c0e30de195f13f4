#include "serve/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "base/machine_faults.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "compile/layout.h"
#include "grade/failure.h"
#include "sandbox/sandbox.h"
#include "serve/front_link.h"

namespace kgrade {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds tick{100};
constexpr int longest_queue = 1024;  // of clients that no front has accepted

Error cannot_listen(const std::string& where, int code) {
  return machine_error(fmt::format("cannot listen at {}: {}", where, ::strerror(code)),
                       "name another address with --listen");
}

UniqueFd new_socket(int family) {
  return UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Binds a Unix socket that only this user may connect to. A socket that nobody listens to is replaced.
Result<UniqueFd> bind_socket(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
  const UniqueFd probe = new_socket(AF_UNIX);
  if (::connect(probe.get(), plain, sizeof address) == 0 || errno == EAGAIN)
    return machine_error(fmt::format("cannot listen at {}: another program listens there", path.string()),
                         "name another address with --listen");
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) ::unlink(path.c_str());
  const mode_t mask = ::umask(0177);
  UniqueFd socket = new_socket(AF_UNIX);
  const bool is_bound = ::bind(socket.get(), plain, sizeof address) == 0;
  const int code = errno;
  ::umask(mask);
  if (!is_bound) return cannot_listen(path.string(), code);
  if (::listen(socket.get(), longest_queue) != 0) return cannot_listen(path.string(), errno);
  return socket;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// The address of a host that is given in numbers. Null if the host is not such an address.
Addresses address_in_numbers(const std::string& host, unsigned short port) {
  in_addr v4{};
  const bool has_colon = host.find(':') != std::string::npos;
  // getaddrinfo() would also accept "1.2" and "0x7f000001".
  if (!has_colon && ::inet_pton(AF_INET, host.c_str(), &v4) != 1) return nullptr;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return nullptr;
  return Addresses(found);
}

Result<UniqueFd> bind_tcp(const ListenAddress& address) {
  const auto fail = [&](int code) {
    return cannot_listen(fmt::format("{}:{}", address.host, address.port), code);
  };
  const Addresses numbers = address_in_numbers(address.host, address.port);
  if (numbers == nullptr) return fail(EINVAL);
  UniqueFd socket = new_socket(numbers->ai_family);
  constexpr int yes = 1;
  if (!socket) return fail(errno);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Accepted connections inherit this option. With it, parts of a stream do not wait for one another.
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::bind(socket.get(), numbers->ai_addr, numbers->ai_addrlen) != 0) return fail(errno);
  if (::listen(socket.get(), longest_queue) != 0) return fail(errno);
  return socket;
}

// Commits once for all requests that have come together, so that they wait for the disk only once. Then lets
// the service work. Returns whether there is more to do at once. `has_failed`: the last commit failed. In
// that case only a tick tries again, so that a full disk is not tried for each request.
bool settle(Service& service, bool is_tick, bool& has_failed) {
  if (!service.has_to_commit() || (has_failed && !is_tick)) return false;
  has_failed = !service.commit();
  if (has_failed || service.has_to_commit()) return false;
  // All jobs of one request are in the queue now. An idle lane takes them at once.
  service.go_on();
  return service.has_to_commit();
}

constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{10'000};
// A front that has lived this long counts as sound.
constexpr std::chrono::seconds long_life{60};
// A process that has closed its connection is killed if it has not ended after this time.
constexpr std::chrono::milliseconds patience_with_end{200};
constexpr int look_again_ms = 100;
// The front's memory limit. It is larger than the limits of bodies, answers and connections with their
// buffers together.
constexpr std::uint64_t memory_bytes = std::uint64_t{2} << 30;

Error no_process(int code, const char* what) {
  return machine_error(fmt::format("cannot make {} for the front: {}", what, ::strerror(code)),
                       remedy_for_machine(code));
}

// Keeps the front running: the process of the service that parses HTTP. If the front ends, does not answer or
// sends something wrong, its process is killed, and a new front is started. Clients of the old front lose
// their connections and nothing else.
class FrontProcess {
 public:
  // Keeps references to the routes and to the listening socket, at which the front accepts clients.
  FrontProcess(FrontSetup setup, Routes& routes, const HttpLimits& limits, const UniqueFd& listening,
               bool is_tcp);

  // Starts the first front, and waits until it accepts clients. Fails with the reason if it does not.
  Failure start();
  // Null while no front runs.
  FrontLink* link() { return link_ ? &*link_ : nullptr; }
  // Replaces a front that has a fault. The pause before that grows if fronts do not live long. Call a few
  // times a second, and when the link has a fault.
  void look_after();

 private:
  Failure begin();
  // Ends the front's process, and returns a text that says how the process ended.
  std::string end();

  FrontSetup setup_;
  Routes& routes_;
  HttpLimits limits_;
  const UniqueFd& listening_;
  bool is_tcp_;
  std::optional<FrontLink> link_;
  ChildProcess child_;
  UniqueFd words_;  // what the process prints before its end
  Steady::time_point began_, next_;
  Steady::duration pause_{};
};

FrontProcess::FrontProcess(FrontSetup setup, Routes& routes, const HttpLimits& limits,
                           const UniqueFd& listening, bool is_tcp)
    : setup_(std::move(setup)),
      routes_(routes),
      limits_(limits),
      listening_(listening),
      is_tcp_(is_tcp),
      pause_(first_pause) {}

Failure FrontProcess::begin() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return {{no_process(errno, "a connection")}};
  UniqueFd ours(ends[0]), theirs(ends[1]);
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {{no_process(errno, "a pipe")}};
  words_.reset(ends[0]);
  const UniqueFd printed(ends[1]);
  SpawnRequest request;
  request.command = setup_.command;
  request.working_directory = "/";
  request.stdin_fd = listening_.get();
  request.output_fd = printed.get();
  request.kept_fd = theirs.get();
  auto child = spawn(request);
  if (!child) return child.errors();
  child_ = std::move(*child);
  began_ = Steady::now();
  link_.emplace(std::move(ours), routes_, limits_, is_tcp_);
  return std::nullopt;
}

Failure FrontProcess::start() {
  if (Failure failure = begin()) return failure;
  while (!link_->is_ready() && link_->fault().empty()) {
    pollfd entry{link_->descriptor(), POLLIN, 0};
    ::poll(&entry, 1, look_again_ms);
    link_->receive();
    link_->look_at_the_clock();
  }
  if (link_->fault().empty()) return std::nullopt;
  return {{machine_error(fmt::format("the process that reads HTTP cannot be started: {}", end()),
                         "`kgrade doctor` says what this machine has; kgrade-front belongs beside kgrade's "
                         "other programs")}};
}

std::string FrontProcess::end() {
  std::string how = link_->fault();
  link_.reset();
  if (const auto status = child_.wait_for(patience_with_end)) how += " with " + describe_wait_status(*status);
  child_ = ChildProcess();
  char bytes[400];
  const ssize_t count = ::read(words_.get(), bytes, sizeof bytes);
  if (count > 0)
    how += fmt::format(" ({})", printable_line(trimmed({bytes, static_cast<std::size_t>(count)})));
  words_.reset();
  return how;
}

void FrontProcess::look_after() {
  if (link_) {
    if (link_->fault().empty()) return;
    const auto life = Steady::now() - began_;
    if (life > long_life) pause_ = first_pause;
    setup_.note(fmt::format("the front, which reads HTTP, is started again: {}", end()));
    next_ = Steady::now() + pause_;
    pause_ = std::min<Steady::duration>(2 * pause_, longest_pause);
  }
  if (Steady::now() < next_) return;
  if (const Failure failure = begin()) {
    setup_.note(to_string(*failure));
    next_ = Steady::now() + longest_pause;
  }
}

[[noreturn]] void serve(Service& service, Routes& routes, FrontProcess& front) {
  auto next_tick = Steady::now();
  for (bool has_more = false, has_failed = false;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_tick - Steady::now());
    FrontLink* const link = front.link();
    const auto wanted = static_cast<short>(POLLIN | (link != nullptr && link->has_to_send() ? POLLOUT : 0));
    pollfd entries[] = {{service.descriptor(), POLLIN, 0},
                        {link != nullptr ? link->descriptor() : -1, wanted, 0}};
    const int wait_ms = has_more ? 0 : static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    if (::poll(entries, 2, wait_ms) < 0) entries[0].revents = entries[1].revents = 0;
    const bool is_tick = Steady::now() >= next_tick;
    if (is_tick) {
      next_tick = Steady::now() + tick;
      Cleanup::of_this_process().set_final_message(service.farewell());
      routes.look_at_tokens();
    }
    if (link != nullptr && entries[1].revents != 0) link->receive();
    if (entries[0].revents != 0 || is_tick) service.go_on();
    has_more = settle(service, is_tick, has_failed);
    if (link != nullptr && is_tick) link->look_at_the_clock();
    if (link != nullptr) link->send();
    if (is_tick || (link != nullptr && !link->fault().empty())) front.look_after();
  }
}

}  // namespace

std::vector<std::string> front_command(const Sandbox& sandbox, const Layout& layout) {
  SandboxPolicy policy;
  // A front that is not linked statically needs these folders when it starts. It gives up access to them
  // afterwards.
  policy.readable = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"};
  policy.temporary_bytes = 1 << 20;
  policy.memory_bytes = memory_bytes;
  return sandbox.wrap(policy, {(layout.workers / "kgrade-front").string()});
}

bool ListenAddress::is_loopback() const {
  if (!socket.empty()) return true;
  const Addresses numbers = address_in_numbers(host, port);
  if (numbers == nullptr) return false;
  if (numbers->ai_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(numbers->ai_addr)->sin6_addr);
  const auto v4 = ntohl(reinterpret_cast<const sockaddr_in*>(numbers->ai_addr)->sin_addr.s_addr);
  return v4 >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const auto wrong = [&text](const char* why) {
    return Error{fmt::format("--listen: '{}' {}", text, why), "write 127.0.0.1:8642 or unix:PATH", {}};
  };
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.socket = text.substr(5);
    if (address.socket.empty() || address.socket.string().size() > 100)
      return wrong("is no path of a socket: up to 100 characters");
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong("has no port");
  address.host = colon == 0 ? "127.0.0.1" : text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address_in_numbers(address.host, 0) == nullptr) return wrong("has no IP address before the colon");
  const auto [rest, error] =
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), address.port);
  if (error != std::errc{} || rest != text.data() + text.size()) return wrong("has no port from 0 to 65535");
  return address;
}

Result<int> serve_http(Service& service, Routes& routes, const ListenAddress& address, FrontSetup front,
                       const HttpLimits& limits, const std::function<void(const std::string&)>& listening) {
  const bool is_tcp = address.socket.empty();
  const auto socket = is_tcp ? bind_tcp(address) : bind_socket(address.socket);
  if (!socket) return socket.errors();
  FrontProcess process(std::move(front), routes, limits, *socket, is_tcp);
  if (const Failure failure = process.start()) return *failure;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&bound), &size);
  const bool is_v6 = bound.ss_family == AF_INET6;
  const auto port = ntohs(is_v6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  listening(is_tcp ? fmt::format("http://{}:{}", is_v6 ? "[" + address.host + "]" : address.host, port)
                   : "unix:" + address.socket.string());
  serve(service, routes, process);
}

}  // namespace kgrade
