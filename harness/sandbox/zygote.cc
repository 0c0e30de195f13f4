#include "sandbox/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/cleanup.h"
#include "base/text_file.h"
#include "sandbox/launch_options.h"

namespace kgrade {
namespace {

// The time limit of imports. It is long enough for packages on a file server that are read for the first
// time.
constexpr std::chrono::seconds import_patience{120};
// The time limit of a fork. A signal does not end kgrade within this time (base/cleanup.h).
constexpr std::chrono::seconds fork_patience{3};

UniqueFd duplicate(int descriptor) {
  return descriptor < 0 ? UniqueFd() : UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

bool send_request(int socket, const ZygoteRequest& request, const std::vector<int>& descriptors) {
  ZygoteRequest bytes = request;
  iovec part{&bytes, sizeof bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(most_descriptors_of_fork * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size() * sizeof(int);
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    ::memcpy(CMSG_DATA(header), descriptors.data(), size);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof bytes);
}

// Checks that `pid` is a child of this process that is not reaped. The zygote's answer is not trusted.
bool is_child_of_ours(pid_t pid) {
  siginfo_t info{};
  return pid > 0 && ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

// A fork that is to be carried out. Its descriptors stay open until it is.
struct Zygote::Fork {
  explicit Fork(const SpawnRequest& asked)
      : request(asked),
        input(duplicate(asked.stdin_fd)),
        output(duplicate(asked.output_fd)),
        kept(duplicate(asked.kept_fd)) {
    request.stdin_fd = input.get();
    request.output_fd = output.get();
    request.kept_fd = kept.get();
  }

  SpawnRequest request;
  UniqueFd input;
  UniqueFd output;
  UniqueFd kept;
  std::shared_ptr<ChildOrder> order = std::make_shared<ChildOrder>();
};

Zygote::Zygote(ZygoteSetup setup) : setup_(std::move(setup)) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  socket_.reset(ends[0]);
  its_socket_.reset(ends[1]);
  keeper_ = std::thread([this] { keep(); });
}

Zygote::~Zygote() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
  keeper_.join();
}

// Runs in the keeper thread. The zygote and its forks die with this thread, so the thread lasts as long as
// this object.
void Zygote::keep() {
  begin();
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
    // Carry out the tasks even at the end, because a caller that waits for a child must learn that there will
    // be none.
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void Zygote::begin() {
  SpawnRequest request;
  request.command = setup_.interpreter;
  // The last argument is the position of the script in the commands that the zygote will receive.
  request.command.insert(request.command.end(), {setup_.script.string(), setup_.library.string(),
                                                 std::to_string(setup_.interpreter.size())});
  request.environment = setup_.environment;
  request.working_directory = "/";
  request.kept_fd = its_socket_.get();
  auto started = kgrade::spawn(request);
  its_socket_.reset();
  if (!started) return give_up(started.error().message);
  Cleanup::of_this_process().spare(started->pid());
  {
    const std::lock_guard lock(mutex_);
    process_ = std::move(*started);
  }
  ZygoteReply reply;
  if (!receive(reply, import_patience)) return give_up("it ended, or did not answer, while it imported");
  if (reply.result < 0) return give_up(reply.reason);
  const std::lock_guard lock(mutex_);
  is_ready_ = has_forked_ = true;
  changed_.notify_all();
}

void Zygote::give_up(std::string reason) {
  ChildProcess ended;
  const std::lock_guard lock(mutex_);
  ended = std::move(process_);
  why_not_ = reason.empty() ? "it failed" : std::move(reason);
  is_ready_ = true;
  changed_.notify_all();
}

bool Zygote::receive(ZygoteReply& reply, std::chrono::milliseconds patience) {
  pollfd entry{socket_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;
  const ssize_t size = ::recv(socket_.get(), &reply, sizeof reply, MSG_DONTWAIT | MSG_TRUNC);
  reply.reason[sizeof reply.reason - 1] = '\0';
  return size == static_cast<ssize_t>(sizeof reply);
}

bool Zygote::exchange(const ZygoteRequest& request, const std::vector<int>& descriptors, ZygoteReply& reply) {
  const auto patience = request.ask == ZygoteAsk::fork ? fork_patience : import_patience;
  return send_request(socket_.get(), request, descriptors) && receive(reply, patience);
}

void Zygote::import_triton(bool interpreted) {
  const std::lock_guard lock(mutex_);
  if (triton_is_interpreted_ == interpreted) return;
  const bool is_another_kind = std::exchange(triton_is_interpreted_, interpreted).has_value();
  tasks_.emplace_back([this, interpreted, is_another_kind] {
    if (!why_not().empty()) return;
    if (is_another_kind) return give_up("it has imported Triton for another device");
    ZygoteReply reply;
    const ZygoteAsk ask = interpreted ? ZygoteAsk::import_triton_interpreted : ZygoteAsk::import_triton;
    if (!exchange({ask}, {}, reply)) {
      give_up("it ended, or did not answer, while it imported Triton");
    } else if (reply.result < 0) {
      give_up(reply.reason);
    }
  });
  changed_.notify_all();
}

bool Zygote::can_fork(const SpawnRequest& request) const {
  const std::vector<std::string>& words = request.command;
  if (words.empty() || words.front() != setup_.launcher) return false;
  std::string problem;
  const LaunchOptions options = parse_arguments({words.begin() + 1, words.end()}, problem);
  // Commands with hidden files are not forked, because the child's memory would contain the names of these
  // files.
  if (!problem.empty() || !options.layers.namespaces || !options.policy.hidden.empty()) return false;
  const std::vector<std::string>& flags = setup_.interpreter;
  const std::vector<std::string>& command = options.command;
  return command.size() > flags.size() && std::equal(flags.begin(), flags.end(), command.begin()) &&
         std::find(setup_.programs.begin(), setup_.programs.end(), command[flags.size()]) !=
             setup_.programs.end();
}

Result<LateChild> Zygote::spawn(const SpawnRequest& request) {
  bool has_failed = false;
  {
    const std::lock_guard lock(mutex_);
    has_failed = !why_not_.empty();
  }
  if (has_failed || !can_fork(request)) return spawn_now(request);
  auto fork = std::make_shared<Fork>(request);
  LateChild child(fork->order);
  const std::lock_guard lock(mutex_);
  tasks_.emplace_back([this, fork = std::move(fork)] { carry_out(*fork); });
  changed_.notify_all();
  return child;
}

Spawner Zygote::spawner() {
  return [this](const SpawnRequest& request) -> Result<ChildProcess> {
    auto child = spawn(request);
    return child ? child->take() : child.errors();
  };
}

void Zygote::carry_out(const Fork& one) {
  if (one.order->is_cancelled()) return;
  if (is_ending()) return one.order->deliver(machine_error("kgrade is ending"));
  if (why_not().empty()) {
    auto child = fork(one.request);
    if (child) return one.order->deliver(std::move(child));
    give_up(child.error().message);
  }
  one.order->deliver(kgrade::spawn(one.request));
}

Result<ChildProcess> Zygote::fork(const SpawnRequest& request) {
  const UniqueFd text = memory_file(to_text(request));
  int ends[2];
  if (!text || ::pipe2(ends, O_CLOEXEC) != 0) return machine_error("there is no descriptor for a fork");
  const UniqueFd gate(ends[0]);
  const UniqueFd our_end(ends[1]);
  ZygoteRequest ask{ZygoteAsk::fork};
  std::vector<int> descriptors = {text.get(), gate.get()};
  for (const auto& [descriptor, is_there] : {std::pair{request.stdin_fd, &ask.has_input},
                                             {request.output_fd, &ask.has_output},
                                             {request.kept_fd, &ask.has_kept}}) {
    if (descriptor < 0) continue;
    *is_there = 1;
    descriptors.push_back(descriptor);
  }
  ZygoteReply reply;
  const pid_t child = Cleanup::of_this_process().take_over([&] {
    return exchange(ask, descriptors, reply) && is_child_of_ours(reply.result) ? reply.result : -1;
  });
  // The child waits for this byte. If the exchange failed, the child finds the pipe closed and ends.
  if (child < 0 || ::write(our_end.get(), "", 1) != 1)
    return machine_error(reply.reason[0] != '\0' ? reply.reason
                                                 : "it ended, or gave no answer, when it was to fork");
  return ChildProcess(child);
}

std::string Zygote::why_not() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_ready_ || is_ending_; });
  return is_ending_ ? "it is ending" : why_not_;
}

bool Zygote::is_ending() {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

bool Zygote::has_broken() {
  const std::lock_guard lock(mutex_);
  return has_forked_ && !why_not_.empty();
}

pid_t Zygote::pid() {
  const std::lock_guard lock(mutex_);
  return process_.pid();
}

}  // namespace kgrade
