#include "serve/front_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/machine_faults.h"
#include "base/text.h"

namespace kgrade {
namespace {

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

}  // namespace kgrade
